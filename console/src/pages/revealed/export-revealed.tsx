import { FileDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '#ui/actions/button.tsx'

const ExportRevealedDialog = lazy(() => import('./export-revealed-dialog.tsx'))

interface ExportRevealedProps {
  account: string
  /** The domain of a store: only its people. */
  store: string | undefined
}

/** The revealed people as a file, as often as wanted: they are paid for. */
export function ExportRevealed({ account, store }: ExportRevealedProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setIsOpen(true)} aria-haspopup="dialog">
        <FileDown aria-hidden />
        Export
      </Button>
      {isOpen && (
        <Suspense>
          <ExportRevealedDialog account={account} store={store} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
