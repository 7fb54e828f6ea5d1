import { showToast } from '#ui/feedback/toasts.tsx'
import { Dialog } from '#ui/overlays/dialog.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { InviteForm } from './invite-form.tsx'
import { type SentInvitation, useReloadMembers } from './members-api.ts'

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
  const reload = useReloadMembers(account)
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
