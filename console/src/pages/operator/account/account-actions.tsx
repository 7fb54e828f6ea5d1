import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { useReloadSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import type { OperatorAccount } from '../api.ts'

export function AccountActions({ account }: { account: OperatorAccount }) {
  const reload = useReload('listAccounts', 'getAccount')
  const navigate = useNavigate()
  const reloadSession = useReloadSession()
  const [isAsking, setIsAsking] = useState(false)
  const isSuspended = account.suspended_at !== null
  const onError = (error: unknown) => void showToast(messageOf(error))
  const seeAs = useMutation({
    mutationFn: () => call('startSeeAs', { body: { account: account.id } }),
    onSuccess: async () => {
      await reloadSession()
      // The pages that cost rows show nothing to an operator.
      await navigate({ to: '/usage' })
    },
    onError,
  })
  const change = useMutation({
    mutationFn: (suspended: boolean) => call(suspended ? 'suspendAccount' : 'resumeAccount', { id: account.id }),
    onSuccess: reload,
  })
  return (
    <>
      <Button isPending={seeAs.isPending} onPress={() => seeAs.mutate()}>
        See as
      </Button>
      {account.closed_at === null &&
        (isSuspended ? (
          <Button isPending={change.isPending} onPress={() => change.mutate(false, { onError })}>
            Resume
          </Button>
        ) : (
          <Button onPress={() => setIsAsking(true)}>Suspend</Button>
        ))}
      <ConfirmDialog
        title={`Suspend ${account.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        confirmLabel="Suspend"
        isDanger
        onConfirm={() => change.mutateAsync(true)}
      >
        <p>
          Its keys are refused from the next request on, and its people can search and reveal nothing. Plan, keys and
          data stay, and a subscription goes on being charged. You can resume it at any time.
        </p>
      </ConfirmDialog>
    </>
  )
}
