import type { Row } from '#api/operations.ts'
import type { Role } from '#api/session.ts'
import { formatCount } from '#lib/format.ts'
import { roleLabel } from '../roles.ts'
import type { AuditSubject } from './search.ts'

export type AuditEntry = Row<'listAudit'>

export const subjectLabels: Record<AuditSubject, string> = {
  member: 'Members',
  invitation: 'Invitations',
  key: 'Keys',
  list: 'Lists',
  export: 'Exports',
  contacts: 'Downloads of revealed people',
  ledger: 'Downloads of the ledger',
  billing_link: 'Billing pages',
  trial: 'Trial',
  account: 'Account',
}

/** The action as the end of a sentence that begins with the actor. */
export function describeAction(entry: AuditEntry): string {
  const words = actions[entry.action]
  return words ? words(entry) : entry.action
}

const actions: Record<string, (entry: AuditEntry) => string> = {
  'member.added': (entry) => `made ${nameOf(entry)} ${roleIn(entry, 'role')}`,
  'member.changed': (entry) => {
    const before = entry.details.before
    return `made ${nameOf(entry)} ${roleIn(entry, 'role')}${before ? `, who was ${roleIn(entry, 'before')}` : ''}`
  },
  'member.removed': (entry) => `removed ${nameOf(entry)}`,
  'member.left': () => 'left the account',
  'invitation.created': (entry) => `invited somebody as ${roleIn(entry, 'role')}`,
  'invitation.sent_again': (entry) => `sent an invitation as ${roleIn(entry, 'role')} again`,
  'invitation.revoked': (entry) => `revoked an invitation as ${roleIn(entry, 'role')}`,
  'invitation.accepted': (entry) => `joined as ${roleIn(entry, 'role')}`,
  'key.created': (entry) => `created ${keyIn(entry)}`,
  'key.rotated': (entry) => `rotated ${keyIn(entry)}`,
  'key.revoked': (entry) => `revoked ${keyIn(entry)}`,
  'key.revocation_undone': (entry) => `undid the revocation of ${keyIn(entry)}`,
  'key.suspended': (entry) => `suspended ${keyIn(entry)}`,
  'key.resumed': (entry) => `resumed ${keyIn(entry)}`,
  'key.scopes_changed': (entry) => `changed the scopes of ${keyIn(entry)}`,
  'key.budget_changed': (entry) => `changed the budget of ${keyIn(entry)}`,
  'list.created': (entry) => `created ${listIn(entry)}`,
  'list.changed': (entry) => `changed ${listIn(entry)}`,
  'list.deleted': (entry) => `deleted ${listIn(entry)}`,
  'list.items_added': (entry) => `added ${itemsIn(entry)} to ${listIn(entry)}`,
  'list.items_removed': (entry) => `took ${itemsIn(entry)} off ${listIn(entry)}`,
  'export.created': (entry) => `started an export of ${kindIn(entry)}`,
  'export.canceled': (entry) => `stopped an export of ${kindIn(entry)}`,
  'export.downloaded': (entry) => `downloaded an export of ${kindIn(entry)}, ${rowsIn(entry)}`,
  'export.deleted': () => 'deleted the file of an export',
  'ledger.downloaded': () => 'downloaded the ledger',
  'billing_link.created': ({ details }) =>
    details.plan
      ? `opened the payment page for ${capitalized(details.plan)}, billed ${details.billing === 'annual' ? 'annually' : 'monthly'}`
      : 'opened the billing page of the payment provider',
  'trial.ended': () => 'ended the trial and started the paid plan',
  'account.created': () => 'created the account',
  'account.renamed': () => 'renamed the account',
  'account.changed': () => 'changed plan or limits of the account',
  'account.suspended': () => 'suspended the account',
  'account.resumed': () => 'ended the suspension of the account',
  'account.closed': ({ details }) =>
    typeof details.revoked_keys === 'number' && details.revoked_keys > 0
      ? `closed the account, which revoked ${formatCount(details.revoked_keys, 'key')}`
      : 'closed the account',
  'see_as.started': () => 'looked at the account as its people see it',
  'contacts.downloaded': () => 'downloaded the revealed people',
}

function nameOf({ target, person }: AuditEntry): string {
  if (target && target.id === person?.id) return 'themselves'
  return target?.name ?? 'somebody who was removed since'
}

function roleIn({ details }: AuditEntry, name: string): string {
  return roleLabel(details[name] as Role).toLowerCase()
}

function listIn({ details }: AuditEntry): string {
  return `the list “${details.name}”`
}

function itemsIn({ details: { count, kind } }: AuditEntry): string {
  return formatCount(Number(count), kind === 'stores' ? 'store' : 'person', kind === 'stores' ? 'stores' : 'people')
}

function kindIn({ details: { kind } }: AuditEntry): string {
  return kind === 'stores' ? 'stores' : kind === 'contacts' ? 'people with their channels' : 'people'
}

function rowsIn({ details: { rows } }: AuditEntry): string {
  return formatCount(Number(rows), 'row')
}

function keyIn({ details, target }: AuditEntry): string {
  return details.name ? `the key “${details.name}”` : `the key ${target?.id ?? ''}`
}

function capitalized(text: string | number | boolean | null): string {
  const word = String(text)
  return word.charAt(0).toUpperCase() + word.slice(1)
}
