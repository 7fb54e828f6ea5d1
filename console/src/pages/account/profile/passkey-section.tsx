import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { failureProps } from '#api/failure.ts'
import type { Row } from '#api/operations.ts'
import { addPasskey } from '#api/passkeys.ts'
import { callQuery, useReload } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { NameFieldForm, Section } from '../settings-form.tsx'

/** The person's passkeys. `isPossible` is false at an address where browsers offer none. */
export function PasskeySection({ isPossible }: { isPossible: boolean }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(callQuery('listPasskeys', {}))
  const reload = useReload('listPasskeys')
  const [removed, setRemoved] = useState<Row<'listPasskeys'>>()
  return (
    <Section title="Passkeys" description="Sign in with a fingerprint, a face or a security key, without a password.">
      {isPending ? (
        <SkeletonRows rows={1} />
      ) : error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : (
        data.data.length > 0 && (
          <ul aria-label="Passkeys" className="mb-4 divide-y divide-line border-line border-y">
            {data.data.map((passkey) => (
              <li key={passkey.id} className="flex flex-wrap items-center justify-between gap-2 py-2">
                <span className="min-w-0">
                  <span className="font-medium wrap-anywhere">{passkey.name}</span>
                  <span className="block text-muted text-xs">
                    Added <RelativeTime time={passkey.created_at} />
                    {passkey.last_used_at ? (
                      <>
                        , last used <RelativeTime time={passkey.last_used_at} />
                      </>
                    ) : (
                      ', never used'
                    )}
                  </span>
                </span>
                <Button isSmall aria-label={`Remove ${passkey.name}`} onPress={() => setRemoved(passkey)}>
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )
      )}
      {isPossible ? (
        <NameFieldForm
          label="Name of a new passkey"
          placeholder="Such as: work laptop"
          autoComplete="off"
          initial=""
          button="Add passkey"
          save={(name) => addPasskey(name.trim())}
          done="The passkey was added."
          reload={reload}
          isEmptiedAfterwards
        />
      ) : (
        <p className="text-muted">Passkeys need this service at a name, over https or on this machine.</p>
      )}
      <ConfirmDialog
        title={`Remove ${removed?.name}?`}
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        confirmLabel="Remove"
        isDanger
        onConfirm={async () => {
          if (!removed) return
          await call('removePasskey', { passkey: removed.id })
          showToast('The passkey was removed.')
          await reload()
        }}
      >
        <p>Nobody can sign in with it any more. Delete it on your device, too.</p>
      </ConfirmDialog>
    </Section>
  )
}
