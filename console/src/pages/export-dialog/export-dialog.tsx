import { useState } from 'react'
import { Dialog } from '#ui/overlays/dialog.tsx'
import { ExportForm } from './export-form.tsx'
import type { ExportSource } from './export-form-state.ts'
import { ExportRun } from './export-run.tsx'

interface ExportDialogProps {
  account: string
  source: ExportSource
  /** The people are what is wanted, and the file comes with them. */
  isReveal?: boolean
  onClose: () => void
}

const titles = { stores: 'Export stores', previews: 'Export people', contacts: 'Export people' }

/** Asks what the file should be, says what it costs, then shows how far it is, and the file. */
export default function ExportDialog({ account, source, isReveal = false, onClose }: ExportDialogProps) {
  // Keep the source when the page behind the dialog changes.
  const [asked] = useState(source)
  const [started, setStarted] = useState<string>()
  return (
    <Dialog
      title={isReveal ? 'Reveal all that match' : titles[asked.kinds[0]]}
      isOpen
      onClose={onClose}
      size={started ? 'small' : 'medium'}
      isQuestion
    >
      {started ? (
        <ExportRun account={account} id={started} onClose={onClose} />
      ) : (
        <ExportForm {...{ account, isReveal }} source={asked} onStarted={setStarted} onCancel={onClose} />
      )}
    </Dialog>
  )
}
