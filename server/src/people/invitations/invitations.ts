import { recordAuditEntry } from '../../auth/audit.ts'
import type { Role } from '../../auth/roles.ts'
import type { Queryable } from '../../db/pool.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { requireUserAddress } from '../../kernel/mail/user-address.ts'
import { invalidLinkError, linkLifeMs } from '../links/links.ts'
import { type RegisteredPerson, upsertMemberAtLeast } from '../queries.ts'
import { hashToken, newToken } from '../tokens.ts'
import { acceptInvitation, type InvitationRow, insertInvitation } from './queries.ts'

interface NewInvitation {
  accountId: number
  email: string
  role: Role
  /** Null for the command line. */
  invitedBy: number | null
  address: string | null
  now: Date
}

/**
 * Creates an invitation. Returns its token, which is stored nowhere. Where mail is set up, show the link to nobody: the
 * mail is what proves that the address is theirs.
 */
export async function createInvitation(
  { db, ids }: { db: Queryable; ids: IdSealer },
  input: NewInvitation,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  const { accountId, role, invitedBy, address, now } = input
  const token = newToken()
  const expiresAt = new Date(now.getTime() + linkLifeMs.invitation)
  const email = requireUserAddress(input.email)
  const row = { tokenHash: hashToken(token), accountId, email, role, invitedBy, now, expiresAt }
  const id = ids.seal('invitation', await insertInvitation(db, row))
  await recordAuditEntry(db, {
    accountId,
    personId: invitedBy,
    action: 'invitation.created',
    target: id,
    details: { role },
    address,
    at: now,
  })
  return { id, token, expiresAt }
}

/** Makes somebody a member by an invitation, in a transaction. A member keeps a role that may do more. */
export async function joinByInvitation(
  { db, ids, now, address }: { db: Queryable; ids: IdSealer; now: Date; address: string },
  invitation: InvitationRow,
  person: Pick<RegisteredPerson, 'id'>,
): Promise<void> {
  if (!(await acceptInvitation(db, invitation.id, now))) throw invalidLinkError()
  const { account_id: accountId, role } = invitation
  await upsertMemberAtLeast(db, { accountId, personId: person.id, role, addedAt: now })
  await recordAuditEntry(db, {
    accountId,
    personId: person.id,
    action: 'invitation.accepted',
    target: ids.seal('invitation', invitation.id),
    details: { role },
    address,
    at: now,
  })
}
