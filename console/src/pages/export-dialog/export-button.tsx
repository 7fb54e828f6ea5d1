import { FileDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import { Button } from '#ui/actions/button.tsx'
import type { ExportSource } from './export-form-state.ts'

// Loaded on demand: the pages that have the button load little at first.
const ExportDialog = lazy(() => import('./export-dialog.tsx'))

interface ExportButtonProps extends ExportSource {
  account: string
  isSmall?: boolean
}

/** Makes a file of the rows of a page, with the cost told first. */
export function ExportButton({ account, isSmall = true, ...source }: ExportButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const mayExport = useIsAtLeast('member')
  return (
    <>
      <Button
        isSmall={isSmall}
        onPress={() => setIsOpen(true)}
        aria-haspopup="dialog"
        disabledReason={mayExport ? undefined : 'A viewer cannot export. Ask an admin of the account.'}
      >
        <FileDown aria-hidden />
        Export
      </Button>
      {isOpen && (
        <Suspense>
          <ExportDialog account={account} source={source} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

interface RevealMatchingProps {
  account: string
  /** The search of the page, with what it leaves out. */
  query: ExportSource['query']
  /** How many match. */
  matches: number | undefined
  onClose: () => void
}

/**
 * Reveals everybody who matches: an export of people with channels, with the cost told first, progress, and a Stop. The people
 * stay under Revealed; the file comes with them.
 */
export function RevealMatching({ account, query, matches, onClose }: RevealMatchingProps) {
  return (
    <Suspense>
      <ExportDialog account={account} source={{ kinds: ['contacts'], query, matches }} isReveal onClose={onClose} />
    </Suspense>
  )
}
