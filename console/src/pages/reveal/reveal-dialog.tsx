import { useEffect } from 'react'
import type { Contact } from '#api/catalogue.ts'
import { formatCount, formatPeople } from '#lib/format.ts'
import type { RunState } from '#lib/reveal-run.ts'
import { Button } from '#ui/actions/button.tsx'
import { ProgressBar } from '#ui/feedback/progress-bar.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import { RevealQuestion } from './reveal-question.tsx'
import { RevealResult } from './reveal-result.tsx'
import { useRevealRun } from './use-reveal-run.ts'

interface RevealDialogProps {
  account: string
  /** The contacts selected when the dialog opened. */
  ids: readonly string[]
  /** Called with true if every id was sent: the selection can be cleared. */
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

interface RevealProgressProps {
  state: RunState<Contact>
  /** How many were asked for. */
  total: number
  onStop: () => void
}

function RevealProgress({ state, total, onStop }: RevealProgressProps) {
  const { phase, totals, isRetrying } = state
  useWarningBeforeUnload()
  return (
    <>
      <ProgressBar label="Revealing" value={totals.asked} max={total} />
      <p role="status" className="mt-3 text-muted">
        {isRetrying
          ? 'The server did not answer. Trying again; nothing is paid for twice.'
          : phase === 'stopping'
            ? 'Stopping after the step that is running.'
            : `${formatCount(totals.spent, 'credit')} spent so far.`}
      </p>
      <DialogActions>
        <Button onPress={onStop} isDisabled={phase === 'stopping'} autoFocus>
          Stop
        </Button>
      </DialogActions>
    </>
  )
}

/** The browser asks before the tab is closed. */
function useWarningBeforeUnload() {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [])
}
