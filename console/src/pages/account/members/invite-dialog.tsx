import { useState } from 'react'
import { useAccount } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import type { Reply } from '#api/operations.ts'
import { useReload } from '#api/query.ts'
import type { Role } from '#api/session.ts'
import { formatTime } from '#lib/format.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { CopyField } from '#ui/fields/copyable.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { RadioGroup } from '#ui/fields/radio-group.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { Dialog, DialogActions, FormActions } from '#ui/overlays/dialog.tsx'
import { mayManage, roles } from '../roles.ts'

type SentInvitation = Reply<'invite'>

interface InviteDialogProps {
  account: string
  isOpen: boolean
  /** An invitation whose link is to be shown. */
  sent: SentInvitation | undefined
  onSent: (sent: SentInvitation) => void
  onClose: () => void
}

/** The form, and then the link where no mail is set up. A press outside closes neither: the link is shown once. */
export function InviteDialog({ account, isOpen, sent, onSent, onClose }: InviteDialogProps) {
  const reload = useReload('listInvitations')
  const finish = (invitation: SentInvitation) => {
    void reload()
    if (invitation.link) return onSent(invitation)
    showToast(`An invitation was mailed to ${invitation.email}.`)
    onClose()
  }
  return (
    <Dialog
      title={sent?.link ? `Link for ${sent.email}` : 'Invite somebody'}
      isOpen={isOpen}
      onClose={onClose}
      size="medium"
      isQuestion
    >
      {sent?.link ? (
        <InvitationLink link={sent.link} expiresAt={sent.expires_at} onDone={onClose} />
      ) : (
        <InviteForm account={account} onSent={finish} onCancel={onClose} />
      )}
    </Dialog>
  )
}

interface InviteFormProps {
  account: string
  onSent: (sent: SentInvitation) => void
  onCancel: () => void
}

function InviteForm({ account, onSent, onCancel }: InviteFormProps) {
  const { role: ownRole } = useAccount()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const { submit, isPending, failure } = useSubmit(async () =>
    onSent(await call('invite', { account, body: { email: email.trim(), role } })),
  )
  const emailError = fieldError(failure, 'email')
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
        errorMessage={emailError}
        isRequired
        autoFocus
      />
      <RadioGroup
        label="Role"
        options={roles.filter(({ id }) => mayManage(ownRole, id))}
        value={role}
        onChange={setRole}
      />
      <FormError>{failure !== undefined && !emailError && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onCancel}>
        Invite
      </FormActions>
    </form>
  )
}

/** The link of an invitation, the only time that it is shown. */
function InvitationLink({ link, expiresAt, onDone }: { link: string; expiresAt: string; onDone: () => void }) {
  return (
    <div className="space-y-4">
      <Banner tone="warning" isAnnounced>
        Copy the link now, and send it to nobody else. It is not shown again.
      </Banner>
      <CopyField label="Invitation link" value={link} />
      <p className="text-muted">
        It works once, until {formatTime(expiresAt)}. No mail is set up here, so Storedex cannot send it for you.
      </p>
      <DialogActions>
        <Button variant="primary" onPress={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
