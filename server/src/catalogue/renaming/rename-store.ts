import { type Access, authorize } from '../../customers/auth/access.ts'
import type { Actor } from '../../customers/auth/actor.ts'
import { recordAudit } from '../../customers/auth/audit.ts'
import { type Client, type Pool, transact } from '../../foundation/db/pool.ts'
import type { ContactSeals } from '../../foundation/encryption/keyring.ts'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { Clock } from '../../foundation/kernel/time.ts'
import { renderPreviewedStore } from '../../product/delivery/contact-preview.ts'
import { documentVersion, parseStore, renderStore } from '../../product/delivery/store-document.ts'
import { admitPendingStores } from '../../product/lists/upkeep/admit-stores.ts'
import { bulkInsertChanges } from '../history/queries.ts'
import { compareStores } from '../history/store-changes.ts'
import { lockCatalogue, recordBatch } from '../writing/queries.ts'
import { readStore, requireHost, requireStoreByDomain, type StoreReport } from './named-store.ts'
import * as named from './named-store-queries.ts'

/** Gives a store another domain, which every account sees. */
const renaming: Access = { operator: true, kind: 'powerful' }

interface RenameContext {
  actor: Actor
  db: Pool
  clock: Clock
  seals: ContactSeals
}

/** As many as an import accepts, so that an exported store can be imported again. */
const maxAliases = 50

/**
 * Gives a live store another domain, in one numbered batch. It keeps its id, its contacts and what accounts have of it; the
 * old domain becomes an alias, which its history says. A name that was only the domain follows it. Contacts stay as they are, their emails
 * included.
 */
export function renameStore(ctx: RenameContext, domain: string, newDomain: string): Promise<StoreReport> {
  const { actor, clock } = ctx
  authorize({ actor, now: clock.now() }, renaming)
  const target = requireHost(newDomain)
  return transact(ctx.db, async (client) => {
    const { batch } = await lockCatalogue(client)
    const stored = await requireStoreByDomain(client, domain)
    await refuseTarget(client, ctx, stored, target)
    const before = parseStore(stored.document)
    const store = { ...before, domain: target, name: before.name === stored.domain ? target : before.name }
    const now = clock.now()
    await named.replaceCanonicalHost(client, stored.id, { domain: target, formerDomain: stored.domain })
    await admitPendingStores(client, 'live', [{ host: target, storeId: stored.id }], now)
    await named.updateRenamedStore(client, {
      id: stored.id,
      batch: batch + 1,
      documentVersion,
      document: renderStore(store),
      preview: renderPreviewedStore(store),
    })
    const aliases = [...stored.aliases.filter((alias) => alias !== target), stored.domain]
    const changes = compareStores(stored.id, { store: before, aliases: stored.aliases }, { store, aliases })
    await bulkInsertChanges(client, { batch: batch + 1, at: now }, changes)
    await recordBatch(client, batch + 1, { rows: 1, left: [stored.batch] }, now)
    const report = await readStore(client, target)
    const details = { batch: report.batch }
    await recordAudit(client, { actor, now }, { accountId: null, action: 'store.renamed', target: report.id, details })
    return report
  })
}

async function refuseTarget(
  client: Client,
  { seals }: RenameContext,
  { id, domain, aliases, contacts }: named.NamedStoreRow,
  target: string,
): Promise<void> {
  if (target === domain) throw new OperatorError(`${domain} is the domain of this store already.`)
  const owner = await named.selectStoreByHost(client, target)
  if (owner && owner.id !== id) {
    const role = owner.domain === target ? 'the domain' : 'an alias'
    throw new OperatorError(`${target} is ${role} of another store, ${owner.domain}: change or remove that one first.`)
  }
  if (!owner && aliases.length >= maxAliases)
    throw new OperatorError(
      `${domain} has ${aliases.length} aliases, and its old domain would be one more than an import accepts: import it with fewer first.`,
    )
  // An import refuses people at a suppressed domain; a new name must not bring them there.
  if (contacts > 0 && (await named.isHashSuppressed(client, seals.identities.hash('domain', target).hash)))
    throw new OperatorError(
      `${target} is on the suppression list, and the store has people: nobody at that domain may be on file.`,
    )
}
