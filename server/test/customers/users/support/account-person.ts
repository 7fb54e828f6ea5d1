import type { Role } from '../../../../src/customers/auth/roles.ts'
import type { TestApp } from '../../../support/app.ts'
import type { Json, TestReply } from '../../../support/client.ts'
import type { PersonTraits, TestPerson } from '../../../support/person.ts'

/** A member of an account, with the routes of the console's account area. */
export interface AccountPerson extends TestPerson {
  members(): Promise<TestReply>
  changeRole(person: { id: string }, role: Role): Promise<TestReply>
  remove(person: { id: string }): Promise<TestReply>
  leave(): Promise<TestReply>
  invite(email: string, role?: Role): Promise<TestReply>
  invitations(): Promise<TestReply>
  sendAgain(invitation: string): Promise<TestReply>
  revoke(invitation: string): Promise<TestReply>
  close(): Promise<TestReply>
  audit(query?: string): Promise<TestReply>
}

export async function newMember(app: TestApp, traits: PersonTraits = {}): Promise<AccountPerson> {
  const person = await app.person(traits)
  return atAccount(person, person.account)
}

/** The person's calls about an account, be they a member or not. */
export function atAccount(person: TestPerson, account: string): AccountPerson {
  const root = `/accounts/${account}`
  return {
    ...person,
    members: () => person.get(`${root}/members`),
    changeRole: ({ id }, role) => person.patch(`${root}/members/${id}`, { role }),
    remove: ({ id }) => person.delete(`${root}/members/${id}`),
    leave: () => person.post(`${root}/leave`, {}),
    invite: (email, role = 'member') => person.post(`${root}/invitations`, { email, role }),
    invitations: () => person.get(`${root}/invitations`),
    sendAgain: (invitation) => person.post(`${root}/invitations/${invitation}/send-again`, {}),
    revoke: (invitation) => person.delete(`${root}/invitations/${invitation}`),
    close: () => person.post(`${root}/close`, {}),
    audit: (query = '') => person.get(`${root}/audit${query}`),
  }
}

/** Status and error code of a refusal, or only the status. */
export function outcomeOf({ status, body }: TestReply): string {
  return body?.error ? `${status} ${body.error.code}` : String(status)
}

/** `action by person on target {details}` for each entry, oldest first. */
export async function auditLines(app: TestApp, account: string): Promise<string[]> {
  const { rows } = await app.db.query(
    `select l.action, p.name, l.details from audit_log l left join people p on p.id = l.person_id
     where l.account_id = $1 order by l.entry`,
    [app.accountNumber(account)],
  )
  return rows.map(({ action, name, details }: Json) => `${action} by ${name} ${JSON.stringify(details)}`)
}
