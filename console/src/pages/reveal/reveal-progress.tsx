import { useEffect } from 'react'
import type { Contact } from '#api/catalogue.ts'
import { formatCount } from '#lib/format.ts'
import type { RunState } from '#lib/reveal/reveal-run.ts'
import { Button } from '#ui/actions/button.tsx'
import { ProgressBar } from '#ui/feedback/progress-bar.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'

interface RevealProgressProps {
  state: RunState<Contact>
  /** How many were asked for. */
  total: number
  onStop: () => void
}

export function RevealProgress({ state, total, onStop }: RevealProgressProps) {
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
