import type { Queryable } from '../../../foundation/db/pool.ts'
import { recognised } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import type { LinkContext } from '../links/link-context.ts'
import { invalidLinkError } from '../links/links.ts'
import { upsertMemberAtLeast } from '../members/queries.ts'
import type { RegisteredUser } from '../queries.ts'
import { acceptInvitation, type InvitationRow } from './queries.ts'

/** Adds the invited user as a member, in a transaction. A member keeps a role that may do more. */
export async function joinByInvitation(
  db: Queryable,
  { ids, now, browser }: Pick<LinkContext, 'ids' | 'now' | 'browser'>,
  invitation: InvitationRow,
  user: Pick<RegisteredUser, 'id'>,
): Promise<void> {
  if (!(await acceptInvitation(db, invitation.id, now))) throw invalidLinkError()
  const { account_id: accountId, role } = invitation
  await upsertMemberAtLeast(db, { accountId, userId: user.id, role, addedAt: now })
  await recordAudit(db, recognised(user.id, { address: browser.address, now }), {
    accountId,
    action: 'invitation.accepted',
    target: ids.seal('invitation', invitation.id),
    details: { role },
  })
}
