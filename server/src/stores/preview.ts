import buildSerializer from 'fast-json-stringify'
import { type Static, Type } from 'typebox'
import type { CallerContext } from '../auth/caller.ts'
import { contactKey, type IdSealer } from '../kernel/ids.ts'
import { Closed, Nullable, Word } from '../kernel/shapes.ts'
import * as queries from './preview-queries.ts'
import { Domain, maxTechnologies, type Store, StoreName, storeIdPattern } from './schema.ts'

/** A person without any channel. Names are cut before they get here, so a preview cannot tell more. */
export const ContactPreview = Closed({
  id: Type.String({ pattern: '^ct_[A-Za-z]+_[A-Za-z]{16}$', maxLength: 24, examples: ['ct_live_PqLmXzTbVnRwKdHc'] }),
  object: Type.Literal('contact_preview'),
  first_name: Nullable(Type.String({ maxLength: 500 })),
  last_name_obfuscated: Nullable(Type.String({ maxLength: 8, examples: ['L***'] })),
  role: Nullable(Word()),
  seniority: Type.Union([Type.Literal('executive'), Type.Literal('decision_maker'), Type.Literal('other')]),
  title: Nullable(Type.String({ maxLength: 500 })),
  has_verified_email: Type.Boolean(),
  has_phone: Type.Boolean(),
  has_profile: Type.Boolean(),
  revealed: Type.Boolean({ description: 'Whether your account has revealed this contact already.' }),
  store: Closed({
    id: Type.String({ pattern: storeIdPattern, maxLength: 24 }),
    domain: Domain,
    name: StoreName,
    category: Nullable(Word()),
    traffic_tier: Nullable(Word()),
    technologies: Closed({
      apps: Type.Array(Word(), { maxItems: maxTechnologies }),
      pixels: Type.Array(Word(), { maxItems: maxTechnologies }),
    }),
  }),
})

const serialize = buildSerializer(ContactPreview as object)

export interface PreviewSelection {
  /** Canonical role values; null for every role. */
  roles: string[] | null
  perStore: number
}

/** The first contacts of each store, as rendered previews; stores without any are missing from the map. */
export async function previewContacts(
  ctx: CallerContext & { ids: IdSealer },
  stores: ReadonlyMap<number, Store>,
  selection: PreviewSelection,
): Promise<Map<number, string[]>> {
  const rows = await queries.listPreviews(ctx.db, [...stores.keys()], selection.roles, selection.perStore)
  const keys = rows.map((row) => contactKey(row.store_id, row.number))
  const revealed = await queries.listRevealed(ctx.db, ctx.caller.accountId, ctx.caller.mode, keys)
  const previews = new Map<number, string[]>()
  for (const [index, row] of rows.entries()) {
    const key = keys[index]!
    const preview = renderPreview(
      ctx.ids.seal('contact', key, ctx.caller.mode),
      row,
      stores.get(row.store_id)!,
      revealed.has(key),
    )
    const ofStore = previews.get(row.store_id)
    if (ofStore) ofStore.push(preview)
    else previews.set(row.store_id, [preview])
  }
  return previews
}

function renderPreview(id: string, row: queries.PreviewRow, store: Store, revealed: boolean): string {
  const preview: Static<typeof ContactPreview> = {
    id,
    object: 'contact_preview',
    first_name: row.first_name,
    last_name_obfuscated: row.last_name_obfuscated,
    role: row.role,
    seniority: row.seniority,
    title: row.title,
    has_verified_email: row.has_verified_email,
    has_phone: row.has_phone,
    has_profile: row.has_profile,
    revealed,
    store: {
      id: store.id,
      domain: store.domain,
      name: store.name,
      category: store.category,
      traffic_tier: store.traffic_tier,
      technologies: { apps: store.technologies.apps, pixels: store.technologies.pixels },
    },
  }
  return serialize(preview)
}
