import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { useReloadSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'

export function LeaveAccount({ account, name }: { account: string; name: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const reload = useReloadSession()
  const navigate = useNavigate()
  return (
    <>
      <Button onPress={() => setIsOpen(true)}>Leave account</Button>
      <ConfirmDialog
        title={`Leave ${name}?`}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        confirmLabel="Leave account"
        isDanger
        onConfirm={async () => {
          await call('leaveAccount', { account })
          showToast(`You left ${name}.`)
          await reload()
          await navigate({ to: '/stores' })
        }}
      >
        <p>Only an admin of the account can let you in again. Invitations that you sent end.</p>
      </ConfirmDialog>
    </>
  )
}
