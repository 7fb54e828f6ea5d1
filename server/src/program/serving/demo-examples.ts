import { KeyedMutex } from '@storedex/work'
import { entitlementAt } from '../../customers/accounts/account.ts'
import { selectAccountByEmail } from '../../customers/accounts/queries.ts'
import { system } from '../../customers/auth/actor.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import { createTrialLinks } from '../../customers/auth/trial-links.ts'
import { startTimeBudget } from '../../customers/billing/links/counted-links.ts'
import { ensureCustomer } from '../../customers/billing/status.ts'
import { readInstallationValue, setInstallationValue } from '../../foundation/db/installation.ts'
import type { Pool } from '../../foundation/db/pool.ts'
import type { ExampleName, InstalledIds } from '../../foundation/http/openapi/examples.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { contactKey } from '../../foundation/kernel/ids.ts'
import { usesBillingStandin } from '../../operations/config.ts'
import type { Deps } from '../../operations/deps.ts'
import { findStoreIds } from '../../product/delivery/fetch-queries.ts'
import { searchContext } from '../../product/exclusion/exclude.ts'
import { createExport } from '../../product/exports/create-export.ts'
import { exportedStores } from '../../product/exports/format/examples.ts'
import { cancelExport, getExport } from '../../product/exports/manage-exports.ts'
import { listsContext } from '../../product/lists/context.ts'
import { createList } from '../../product/lists/create-list.ts'
import { addItems } from '../../product/lists/items/change-items.ts'
import { readList } from '../../product/lists/read-lists.ts'
import { installedIdsName } from '../app.ts'
import { selectContactNumber } from './demo-queries.ts'
import { demoEmail } from './demo-user.ts'

/** The shop and the role of the person in the documentation's examples. */
const shop = 'aurora-candles.example'
const role = 'marketing'

/**
 * Makes what the examples of the API's document use, and stores its ids: lists and exports of the demonstration's account, and a
 * customer at the stand-in for Stripe. A later start makes again what is gone. What the operator has taken from the catalogue
 * stays gone, and its examples then show ids that do not exist.
 */
export async function ensureExamples(deps: Deps): Promise<void> {
  const account = await selectAccountByEmail(deps.db, demoEmail)
  if (!account?.accessOpen) return
  const now = deps.clock.now()
  const entitlement = entitlementAt(account, deps.plans, now)
  const ctx = {
    ...{ db: deps.db, actor: system, now, requestId: 'start' },
    caller: { accountId: account.id, mode: 'live', key: null, userId: null, scopes: null, entitlement, rate: {} },
  } satisfies MakerContext
  const stored = await readInstallationValue(deps.db, installedIdsName)
  const known = stored ? (JSON.parse(stored.toString()) as InstalledIds) : {}
  const ids = {
    ...(await findCatalogueIds(deps)),
    ...(await ensureLists(deps, ctx, known)),
    ...(await ensureExports(deps, ctx, known)),
  }
  const value = Buffer.from(JSON.stringify(ids))
  if (!stored?.equals(value)) await setInstallationValue(deps.db, installedIdsName, value)
  // Not at Stripe itself: there a customer appears when a person asks for it.
  if (usesBillingStandin(deps.config) && account.customerId === null)
    await ensureCustomer(deps, account, startTimeBudget()).catch(() =>
      deps.log.info(
        'the stand-in for Stripe is not ready; the example of a link to its portal works after the next start',
      ),
    )
}

async function findCatalogueIds({ db, ids }: Deps): Promise<InstalledIds> {
  const [storeId] = await findStoreIds(db, 'live', [shop])
  if (storeId === undefined) return {}
  const number = await selectContactNumber(db, { storeId, role })
  return {
    store: ids.seal('store', storeId, 'live'),
    ...(number !== undefined && { contact: ids.seal('contact', contactKey(storeId, number), 'live') }),
  }
}

type MakerContext = CallerContext & { db: Pool }

/** What replies about a limit would link to; nothing here replies to a caller. */
const withTrialLinks = (deps: Deps) => ({ ...deps, trialLinks: createTrialLinks({ ...deps, publicUrl: '' }) })

/** A list with a shop in it, and one to be deleted. */
async function ensureLists(deps: Deps, caller: MakerContext, known: InstalledIds): Promise<InstalledIds> {
  const ctx = listsContext(caller, withTrialLinks(deps))
  const ensure = (name: ExampleName, title: string, description: string) =>
    ensureOne(
      known[name],
      (id) => readList(ctx, id),
      async () => {
        const { id } = await createList(ctx, { name: title, kind: 'stores', description })
        await addItems(ctx, id, { domains: ['cinder-linen.example'] })
        return id
      },
    )
  const deletedList = await ensure('deletedList', 'Shops of last year', 'For the example that deletes a list.')
  const list = await ensure('list', 'Candle shops', 'For the examples that read and change a list.')
  return { ...(deletedList && { deletedList }), ...(list && { list }) }
}

/** One with a file, one that was canceled, and one to be deleted. */
async function ensureExports(deps: Deps, caller: MakerContext, known: InstalledIds): Promise<InstalledIds> {
  const ctx = {
    ...searchContext(caller, withTrialLinks(deps)),
    ...{ db: caller.db, quotes: deps.quotes, seals: deps.seals, config: deps.config },
    inFlightRequests: new KeyedMutex(),
    // The app's runner finds it when it starts.
    wakeRunner: () => {},
  }
  const create = async () =>
    (JSON.parse((await createExport(ctx, exportedStores, undefined)).body) as { id: string }).id
  const createCanceled = async () => {
    const id = await create()
    await cancelExport(ctx, id)
    return id
  }
  const find = (id: string) => getExport(ctx, id)
  const findWithFile = async (id: string) => (await find(id)).status !== 'expired'
  const deletedExport = await ensureOne(known.deletedExport, find, createCanceled)
  const canceledExport = await ensureOne(known.canceledExport, findWithFile, createCanceled)
  const exported = await ensureOne(known.export, findWithFile, create)
  return {
    ...(deletedExport && { deletedExport }),
    ...(canceledExport && { canceledExport }),
    ...(exported && { export: exported }),
  }
}

/** The id that is known, if it can still be found, else that of a new one; undefined if none may be made, such as at a limit. */
async function ensureOne(
  known: string | undefined,
  find: (id: string) => Promise<unknown>,
  create: () => Promise<string>,
): Promise<string | undefined> {
  try {
    if (known !== undefined && (await isFound(() => find(known)))) return known
    return await create()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function isFound(find: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await find()) !== false
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
