import type { Contact } from '#api/catalogue.ts'
import { ApiFailure, failureProps } from '#api/failure.ts'
import { formatCount, formatPeople } from '#lib/format.ts'
import type { RunState } from '#lib/reveal-run.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'
import { Channels } from './channels.tsx'

interface RevealResultProps {
  state: RunState<Contact>
  onContinue: () => void
  onClose: () => void
}

/** The contacts delivered, with channels, and what is left to do if some were not. */
export function RevealResult({ state, onContinue, onClose }: RevealResultProps) {
  const { phase, steps, totals, error } = state
  const contacts = steps.flatMap((step) => step.contacts)
  const left = steps.flatMap(({ state: step, ids }) => (step === 'done' ? [] : ids)).length
  return (
    <>
      <p role="status" className="mb-3">
        {formatCount(totals.spent, 'credit')} spent.
        {totals.delivered > 0 && (
          <>
            {' '}
            They stay under <Link href="/revealed">Revealed</Link>, free of charge.
          </>
        )}
        {totals.asked > totals.delivered && ` ${formatPeople(totals.asked - totals.delivered)} could not be revealed.`}
      </p>
      {phase === 'failed' && <Failure error={error} left={left} onContinue={onContinue} />}
      {phase === 'stopped' && (
        <Banner actions={<Button onPress={onContinue}>Reveal the other {formatPeople(left)}</Button>}>
          Stopped. What is revealed stays revealed.
        </Banner>
      )}
      <ul className="divide-y divide-line">
        {contacts.map((contact) => (
          <li key={contact.id} className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-2">
            <div className="min-w-0">
              <p className="font-medium wrap-anywhere" dir="auto">
                {contact.full_name ?? 'Without a name'}
              </p>
              <p className="text-muted wrap-anywhere">
                <bdi>{contact.title}</bdi>
              </p>
              <p className="text-muted wrap-anywhere">
                <bdi>{contact.store.name}</bdi>
              </p>
            </div>
            <Channels contact={contact} />
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button variant="primary" onPress={onClose} autoFocus>
          Done
        </Button>
      </DialogActions>
    </>
  )
}

interface FailureProps {
  error: unknown
  left: number
  onContinue: () => void
}

function Failure({ error, left, onContinue }: FailureProps) {
  const { message, requestId } = failureProps(error)
  // A refusal has certainly spent nothing.
  const isUnknown = !(error instanceof ApiFailure) || error.status === 0 || error.status >= 500
  return (
    <Banner tone="danger" isAnnounced actions={<Button onPress={onContinue}>Try again</Button>}>
      <p>{message}</p>
      <p>
        {formatPeople(left)} left.
        {isUnknown && ' If the last step was carried out after all, trying again delivers it and costs nothing.'}
      </p>
      {requestId && (
        <p className="text-xs">
          Request <code className="font-mono select-all">{requestId}</code>
        </p>
      )}
    </Banner>
  )
}
