import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Access, deedKinds } from '../../../src/customers/auth/access.ts'
import { buildApp } from '../../../src/program/app.ts'
import { startTestApp } from '../../support/app.ts'

const project = join(import.meta.dirname, '../../../..')
const sourceDir = join(project, 'server/src')
const source = new Map(
  readdirSync(sourceDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(sourceDir, path), 'utf8')]),
)
const allSource = [...source.values()].join('\n')

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>
}

const read = (name: string): Document => JSON.parse(readFileSync(join(project, 'openapi', name), 'utf8'))
const documents = { api: read('v1.json'), console: read('console.json') }
const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((path) => Object.values(path))
const idsOf = (document: Document) => new Set(operationsOf(document).map(({ operationId }) => operationId))

const kinds = Object.keys(deedKinds) as (keyof typeof deedKinds)[]

/** What an audited operation writes to the audit log. */
const actions: Record<string, string> = {
  createList: 'list.created',
  updateList: 'list.changed',
  deleteList: 'list.deleted',
  addListItems: 'list.items_added',
  removeListItems: 'list.items_removed',
  createExport: 'export.created',
  cancelExport: 'export.canceled',
  deleteExport: 'export.deleted',
  getExportFile: 'export.downloaded',
  getRevealedFile: 'contacts.downloaded',
  getLedgerFile: 'ledger.downloaded',
  createSubscriptionLink: 'billing_link.created',
  createPortalLink: 'billing_link.created',
  endTrial: 'trial.ended',
  erasePerson: 'contacts.erased',
  addSuppressions: 'suppressions.added',
  createKey: 'key.created',
  rotateKey: 'key.rotated',
  setKeyBudget: 'key.budget_changed',
  setKeyScopes: 'key.scopes_changed',
  revokeKey: 'key.revoked',
  undoKeyRevocation: 'key.revocation_undone',
  suspendKey: 'key.suspended',
  resumeKey: 'key.resumed',
  changeMember: 'member.changed',
  removeMember: 'member.removed',
  leaveAccount: 'member.left',
  invite: 'invitation.created',
  sendInvitationAgain: 'invitation.sent_again',
  revokeInvitation: 'invitation.revoked',
  endOtherSessions: 'session.others_ended',
  endSession: 'session.ended',
  changeProfile: 'person.renamed',
  changePassword: 'password.set',
  renameAccount: 'account.renamed',
  closeAccount: 'account.closed',
  createAccount: 'account.created',
  changeAccount: 'account.changed',
  suspendAccount: 'account.suspended',
  resumeAccount: 'account.resumed',
  startSeeAs: 'see_as.started',
  stopSeeAs: 'see_as.stopped',
  addPasskey: 'passkey.created',
  removePasskey: 'passkey.removed',
  createImport: 'import.created',
  checkImport: 'import.started',
  runImport: 'import.started',
  stopImport: 'import.stopped',
  removeImportFiles: 'import.files_removed',
  getImportRejects: 'import.rejects_downloaded',
}

/** Steps of a deed whose end is in the log. */
const steps = ['startPasskeyRegistration', 'previewImport', 'appendToImport']

/** The verbs of deeds that have several doors, and the files that call them. */
const deeds: Record<string, string[]> = {
  createKey: ['doors/cli/keys.ts', 'customers/keys/routes.ts'],
  rotateKey: ['doors/cli/keys.ts', 'customers/keys/routes.ts'],
  revokeKey: ['doors/cli/keys.ts', 'customers/keys/routes.ts'],
  suspendKey: ['doors/cli/keys.ts', 'customers/keys/routes.ts'],
  resumeKey: ['doors/cli/keys.ts', 'customers/keys/routes.ts'],
  setKeyLimits: ['doors/cli/keys.ts', 'customers/keys/routes.ts'],
  createAccount: ['doors/cli/accounts.ts', 'customers/administration/operator-routes.ts'],
  changeAccount: ['doors/cli/accounts.ts', 'customers/administration/operator-routes.ts'],
  suspendAccount: ['doors/cli/accounts.ts', 'customers/administration/operator-routes.ts'],
  resumeAccount: ['doors/cli/accounts.ts', 'customers/administration/operator-routes.ts'],
  setMemberRole: ['doors/cli/users.ts', 'customers/users/members/routes.ts'],
  endMembership: ['doors/cli/users.ts', 'customers/users/members/routes.ts'],
  eraseContacts: ['doors/cli/catalogue/contacts.ts', 'catalogue/erasure/routes.ts'],
  createSubscriptionLink: ['customers/billing/operator-link.ts', 'customers/billing/routes.ts'],
}

interface Route {
  operationId: string
  access: Access
}
let routes: Route[]
beforeAll(async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  const built = await buildApp(app.deps)
  routes = built.consoleRoutes.map(({ method, url, access }) => {
    const path = url.replace('/console/api', '').replace(/:(\w+)/g, '{$1}')
    const operation = documents.console.paths[path]?.[method.toLowerCase()]
    // A new one is not in the committed document yet.
    return { operationId: operation?.operationId ?? `${method} ${path}`, access }
  })
  await built.close()
})

describe('an operation', () => {
  test('is declared once, whatever doors it has', () => {
    const declared = [...allSource.matchAll(/operationId: '(\w+)'/g)].map(([, id]) => id!)
    expect(declared.filter((id, index) => declared.indexOf(id) !== index)).toEqual([])
    const shared = [...idsOf(documents.api)].filter((id) => idsOf(documents.console).has(id))
    expect(shared).toEqual(expect.arrayContaining(['createList', 'createExport', 'revealContacts', 'getUsage']))
  })

  test('is of a kind, and one that is audited says what it writes to the log', () => {
    const audited = routes.filter(({ access }) => typeof access.kind === 'function' || deedKinds[access.kind].audited)
    expect(routes.filter(({ access }) => typeof access.kind === 'string' && !kinds.includes(access.kind))).toEqual([])
    const named = audited.map(({ operationId }) => operationId).filter((id) => !steps.includes(id))
    expect(named.filter((id) => actions[id] === undefined)).toEqual([])
    const written = (action: string) =>
      allSource.includes(`'${action}'`) ||
      (allSource.includes(`\`${action.split('.')[0]}.\${`) && allSource.includes(`'${action.split('.')[1]}'`))
    expect(Object.values(actions).filter((action) => !written(action))).toEqual([])
  })
})

test('a deed has one verb, which every door calls', () => {
  for (const [verb, callers] of Object.entries(deeds)) {
    const declarations = [...allSource.matchAll(new RegExp(`export (?:async )?function ${verb}\\(`, 'g'))]
    expect([verb, declarations.length]).toEqual([verb, 1])
    expect(callers.filter((path) => !source.get(path)?.includes(verb))).toEqual([])
  }
})
