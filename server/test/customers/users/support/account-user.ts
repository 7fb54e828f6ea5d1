import type { Role } from '../../../../src/customers/auth/roles.ts'
import type { TestApp } from '../../../support/app.ts'
import type { Json, TestReply } from '../../../support/client.ts'
import type { TestUser, UserTraits } from '../../../support/user.ts'

/** A member of an account, with the routes of the console's account area. */
export interface AccountUser extends TestUser {
  members(): Promise<TestReply>
  changeRole(user: { id: string }, role: Role): Promise<TestReply>
  remove(user: { id: string }): Promise<TestReply>
  leave(): Promise<TestReply>
  invite(email: string, role?: Role): Promise<TestReply>
  invitations(): Promise<TestReply>
  sendAgain(invitation: string): Promise<TestReply>
  revoke(invitation: string): Promise<TestReply>
  close(): Promise<TestReply>
  audit(query?: string): Promise<TestReply>
}

export async function newMember(app: TestApp, traits: UserTraits = {}): Promise<AccountUser> {
  const user = await app.person(traits)
  return atAccount(user, user.account)
}

/** The user's calls about an account, be they a member or not. */
export function atAccount(user: TestUser, account: string): AccountUser {
  const root = `/accounts/${account}`
  return {
    ...user,
    members: () => user.get(`${root}/members`),
    changeRole: ({ id }, role) => user.patch(`${root}/members/${id}`, { role }),
    remove: ({ id }) => user.delete(`${root}/members/${id}`),
    leave: () => user.post(`${root}/leave`, {}),
    invite: (email, role = 'member') => user.post(`${root}/invitations`, { email, role }),
    invitations: () => user.get(`${root}/invitations`),
    sendAgain: (invitation) => user.post(`${root}/invitations/${invitation}/send-again`, {}),
    revoke: (invitation) => user.delete(`${root}/invitations/${invitation}`),
    close: () => user.post(`${root}/close`, {}),
    audit: (query = '') => user.get(`${root}/audit${query}`),
  }
}

/** Status and error code of a refusal, or only the status. */
export function outcomeOf({ status, body }: TestReply): string {
  return body?.error ? `${status} ${body.error.code}` : String(status)
}

/** `action by user on target {details}` for each entry, oldest first. */
export async function auditLines(app: TestApp, account: string): Promise<string[]> {
  const { rows } = await app.db.query(
    `select l.action, p.name, l.details from audit_log l left join people p on p.id = l.person_id
     where l.account_id = $1 order by l.entry`,
    [app.accountNumber(account)],
  )
  return rows.map(({ action, name, details }: Json) => `${action} by ${name} ${JSON.stringify(details)}`)
}
