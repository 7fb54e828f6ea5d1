import { get, type PlannedCall, post, reveal } from './calls.ts'
import { domains, type Installation } from './installation.ts'

/** Exports of the installation, by the name of the caller who asked for them. */
export type StartedExports = readonly { by: PlannedCall['by']; id: string }[]

type Plan = (installation: Installation, exports: StartedExports) => PlannedCall[]

const usage: Plan = () =>
  (['main', 'budget', 'sandbox', 'replaced', 'successor', 'trial', 'trialSandbox', 'owner'] as const).map((by) =>
    get(by, '/usage'),
  )

/** Calls at the moment of the dump, by what they show. */
export const callsAtOnce = {
  usage,
  fullMinute: () => [get('hasty', '/usage')],
  closedKeys: () => [get('revoked', '/usage'), get('suspended', '/usage')],
} satisfies Record<string, Plan>

/** Calls a few minutes later, once the exports that ran have ended. */
export const callsLater = {
  exports: (_, exports) => exports.flatMap(({ by, id }) => [get(by, `/exports/${id}`), get(by, `/exports/${id}/file`)]),
  cursors: ({ storesCursor, contactsCursor }) => [
    post('main', '/stores/search', { filters: {}, limit: 10, cursor: storesCursor }),
    post('main', '/contacts/search', { limit: 7, cursor: contactsCursor }),
  ],
  knownStores: () => [
    ...(['main', 'sandbox', 'trial', 'trialSandbox'] as const).map((by) => get(by, `/stores/${domains[3]}`)),
    post('main', '/stores/enrich', { domains: domains.slice(2, 8) }),
  ],
  knownContacts: ({ contactIds }) => [
    reveal('main', contactIds.slice(4, 6)),
    reveal('successor', contactIds.slice(0, 4), 'order 4'),
    reveal('trial', contactIds.slice(0, 3)),
    reveal('owner', contactIds.slice(5, 9)),
  ],
  replays: ({ kept }) => kept,
  usedKeys: ({ contactIds }) => [
    reveal('main', contactIds.slice(0, 1), 'order 1'),
    reveal('trial', contactIds.slice(3, 4), 'order 1'),
    reveal('owner', contactIds.slice(12, 13), 'of ada'),
  ],
  viewedPages: () => [
    post('owner', '/stores/search', { filters: {}, limit: 6 }),
    post('owner', '/contacts/search', { limit: 5 }),
    get('owner', `/stores/${domains[9]}`),
  ],
  spentBudgets: ({ contactIds }) => [
    reveal('budget', contactIds.slice(30, 33)),
    post('budget', '/stores/search', { filters: {}, limit: 15 }),
  ],
  restOfBudgets: ({ contactIds }) => [
    reveal('budget', contactIds.slice(30, 32)),
    post('budget', '/stores/search', { filters: {}, limit: 14 }),
    reveal('budget', contactIds.slice(32, 33)),
  ],
  restOfTrial: ({ contactIds }) => [
    reveal('trial', contactIds.slice(30, 34)),
    reveal('trial', contactIds.slice(30, 32)),
    reveal('trial', contactIds.slice(32, 33)),
  ],
  newSpending: ({ contactIds, list }) => [
    // The reply under this key has expired.
    reveal('main', contactIds.slice(34, 38), 'of january'),
    post('main', '/stores/search', { filters: {}, exclude: { exported: true }, limit: 3 }),
    post('main', '/contacts/search', { exclude: { revealed: true, lists: [list] }, limit: 3 }),
    get('main', `/lists/${list}/items?limit=3`),
    get('hasty', '/usage'),
  ],
  quotes: ({ quoted }) => [quoted],
} satisfies Record<string, Plan>

/** Calls at the end, once the export of the quote has ended too. */
export const callsAtLast = { usageAtLast: usage } satisfies Record<string, Plan>

export type Shown = keyof typeof callsAtOnce | keyof typeof callsLater | keyof typeof callsAtLast
