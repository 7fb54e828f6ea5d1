import { type StagedStores, unpackTraits } from '@storedex/search-index'
import { contactKey, type IdSealer } from '../../../server/src/foundation/kernel/ids.ts'
import {
  previewVersion,
  renderPreviewedPerson,
  renderPreviewedStore,
} from '../../../server/src/product/delivery/contact-preview.ts'
import { documentVersion, renderStore, type Store } from '../../../server/src/product/delivery/store-document.ts'
import { type Facet, flagTokens, type Term } from '../../../server/src/search/query/vocabulary.ts'
import { isRevealable, isRevealableVerified } from './people.ts'

/** Stores in one batch of an import. */
export const storesPerBatch = 2_000

/** The rows that an import would write, in the text format of COPY. Generated values need no escaping. */
export interface CatalogueRows {
  /** One block of rows for each batch. */
  stores(): Generator<Buffer>
  hosts(): Generator<Buffer>
  contacts(): Generator<Buffer>
}

export const storeTableColumns =
  'id, mode, batch, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, document_version, preview, next_contact_number'
export const hostColumns = 'mode, host, store_id, canonical'
export const contactTableColumns =
  'store_id, number, external_key, role, traits, revealable, verified_revealable, verified_emails, preview, preview_version, identities, sealed'

export function domainOf(storeId: number): string {
  return `store-${storeId.toString(36)}.example`
}

/** Sealed values are placeholder bytes, so contacts of this catalogue cannot be revealed. */
export function catalogueRows(
  staged: StagedStores,
  terms: readonly Term[],
  firstBatch: number,
  ids: IdSealer,
  sealedPrefix: Buffer,
): CatalogueRows {
  const termOf = new Map(terms.map((term) => [term.token, term]))
  const sealed = `\\\\x${sealedPrefix.toString('hex')}${'5e'.repeat(48)}`
  const inBlocks = function* (linesOf: (from: number, to: number) => string): Generator<Buffer> {
    for (let from = 0; from < staged.size; from += storesPerBatch)
      yield Buffer.from(linesOf(from, Math.min(from + storesPerBatch, staged.size)))
  }
  return {
    stores: () =>
      inBlocks((from, to) => {
        const publicIds = ids.sealMany('store', Array.from(staged.ids.subarray(from, to)), 'live')
        const batch = firstBatch + Math.floor(from / storesPerBatch)
        let lines = ''
        for (let row = from; row < to; row++) lines += storeLine(staged, row, publicIds[row - from]!, batch, termOf)
        return lines
      }),
    hosts: () =>
      inBlocks((from, to) => {
        let lines = ''
        for (let row = from; row < to; row++) lines += `live\t${domainOf(staged.ids[row]!)}\t${staged.ids[row]}\ttrue\n`
        return lines
      }),
    contacts: () => inBlocks((from, to) => contactLines(staged, from, to, ids, sealed, termOf)),
  }
}

type TermOf = ReadonlyMap<number, Term>

function storeLine(staged: StagedStores, row: number, id: string, batch: number, termOf: TermOf): string {
  const tokens = staged.tokens.subarray(staged.tokenStarts[row]!, staged.tokenStarts[row + 1]!)
  const store = storeOf(staged, row, id, tokens, termOf)
  const { negatedScores, activeAds } = staged
  return `${[
    staged.ids[row],
    'live',
    batch,
    negatedScores[row],
    `{${tokens.join()}}`,
    activeAds[row],
    store.store_created_at?.estimate ?? '\\N',
    store.first_discovered_at ?? '\\N',
    renderStore(store),
    documentVersion,
    renderPreviewedStore(store),
    store.contacts_summary.total,
  ].join('\t')}\n`
}

function storeOf(staged: StagedStores, row: number, id: string, tokens: Int32Array, termOf: TermOf): Store {
  const values = new Map<Facet, string[]>()
  for (const token of tokens) {
    const term = termOf.get(token)
    if (term) values.set(term.facet, [...(values.get(term.facet) ?? []), term.value])
  }
  const one = (facet: Facet) => values.get(facet)?.[0] ?? null
  const several = (facet: Facet) => values.get(facet)?.sort() ?? []
  const negatedScore = staged.negatedScores[row]!
  const storeId = staged.ids[row]!
  const created = momentOf(staged.created[row]!)
  const [firstContact, endOfContacts] = [staged.contactStarts[row]!, staged.contactStarts[row + 1]!]
  const traits = staged.contactTraits.subarray(firstContact, endOfContacts)
  return {
    id,
    object: 'store',
    domain: domainOf(storeId),
    name: `Store ${storeId}`,
    category: one('category'),
    country: one('country'),
    traffic_tier: one('traffic_tier'),
    revenue_tier: one('revenue_tier'),
    platform_plus: tokens.includes(flagTokens.platformPlus),
    lead_fit_score: negatedScore === Infinity ? null : 0 - negatedScore,
    store_created_at:
      created === null ? null : { estimate: created, resolution: 'exact', source: 'platform', confidence: 'high' },
    first_discovered_at: momentOf(staged.discovered[row]!),
    contacts_summary: {
      total: endOfContacts - firstContact,
      has_revealable_contacts: tokens.includes(flagTokens.revealableContacts),
      verified_email_count: traits.filter((packed) => unpackTraits(packed).hasVerifiedEmail).length,
      roles: several('role'),
    },
    technologies: {
      apps: several('app'),
      pixels: several('pixel'),
      theme: { name: null, type: one('theme_type') },
    },
  }
}

function momentOf(milliseconds: number): string | null {
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString()
}

function contactLines(
  staged: StagedStores,
  from: number,
  to: number,
  ids: IdSealer,
  sealed: string,
  termOf: TermOf,
): string {
  const keys: number[] = []
  for (let row = from; row < to; row++)
    for (let at = staged.contactStarts[row]!; at < staged.contactStarts[row + 1]!; at++)
      keys.push(contactKey(staged.ids[row]!, staged.contactNumbers[at]!))
  const publicIds = ids.sealMany('contact', keys, 'live')
  let [lines, index] = ['', 0]
  for (let row = from; row < to; row++)
    for (let at = staged.contactStarts[row]!; at < staged.contactStarts[row + 1]!; at++, index++) {
      const [packed, number] = [staged.contactTraits[at]!, staged.contactNumbers[at]!]
      const role = termOf.get(staged.contactRoles[at]!) ?? null
      const { seniority, hasVerifiedEmail, hasPhone, hasProfile } = unpackTraits(packed)
      const preview = renderPreviewedPerson({
        id: publicIds[index]!,
        object: 'contact_preview',
        first_name: 'Mara',
        last_name_obfuscated: 'L***',
        role: role?.value ?? null,
        seniority,
        title: role && `Head of ${role.value}`,
        has_verified_email: hasVerifiedEmail,
        has_phone: hasPhone,
        has_profile: hasProfile,
      })
      const key = keys[index]!
      lines += `${[
        staged.ids[row],
        number,
        `\\\\x${key.toString(16).padStart(32, '0')}`,
        role?.value ?? '\\N',
        packed,
        isRevealable(packed, number),
        isRevealableVerified(packed),
        Number(hasVerifiedEmail),
        preview,
        previewVersion,
        `{${key},${-key}}`,
        sealed,
      ].join('\t')}\n`
    }
  return lines
}
