import { formatTime } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { CopyField } from '#ui/fields/copy-field.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'

interface InvitationLinkProps {
  link: string
  expiresAt: string
  onDone: () => void
}

/** The link of an invitation, the only time that it is shown. */
export function InvitationLink({ link, expiresAt, onDone }: InvitationLinkProps) {
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
