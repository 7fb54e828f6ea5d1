import { formatPeople } from '#lib/format.ts'
import { Dialog } from '#ui/overlays/dialog.tsx'
import { RevealProgress } from './reveal-progress.tsx'
import { RevealQuestion } from './reveal-question.tsx'
import { RevealResult } from './reveal-result.tsx'
import { useRevealRun } from './use-reveal-run.ts'

interface RevealDialogProps {
  account: string
  /** Who was selected when the dialog opened. */
  ids: readonly string[]
  /** Told whether everybody was asked for, so that the selection is of no more use. */
  onClose: (isDone: boolean) => void
}

/** Asks once, shows the steps, then the channels that were delivered. */
export default function RevealDialog({ account, ids, onClose }: RevealDialogProps) {
  const { state, start, stop } = useRevealRun(account, ids)
  const { phase, totals } = state
  const isRunning = phase === 'running' || phase === 'stopping'
  const close = () => {
    // The cross and Escape do not end what is being paid for; Stop does.
    if (!isRunning) onClose(phase === 'finished')
  }
  const title =
    phase === 'ready'
      ? `Reveal ${formatPeople(ids.length)}?`
      : isRunning
        ? 'Revealing'
        : totals.delivered === 0
          ? 'Nobody was revealed'
          : `${formatPeople(totals.delivered)} revealed`
  return (
    <Dialog
      title={title}
      isOpen
      onClose={close}
      isQuestion={phase === 'ready'}
      size={phase === 'ready' || isRunning ? 'small' : 'large'}
    >
      {phase === 'ready' && <RevealQuestion account={account} ids={ids} onReveal={start} onCancel={close} />}
      {isRunning && <RevealProgress state={state} total={ids.length} onStop={stop} />}
      {phase !== 'ready' && !isRunning && <RevealResult state={state} onContinue={start} onClose={close} />}
    </Dialog>
  )
}
