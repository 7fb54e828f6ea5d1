import { type ContactSortKey, contactsPerStore } from '@storedex/search-index'
import buildSerializer from 'fast-json-stringify'
import { type Static, Type } from 'typebox'
import { contactKey } from '../../foundation/kernel/ids.ts'
import { ClosedObject, Nullable, TaxonomyValue } from '../../foundation/kernel/shapes.ts'
import { Domain, maxTechnologies, type Store, StoreName, storeIdPattern } from './store-document.ts'

export const contactIdPattern = '^ct_[A-Za-z]+_[A-Za-z]{16}$'

/** How a contact id in a request is refused that is none. */
export const invalidContactId = {
  errorCode: 'invalid_contact_id',
  errorMessage: 'A contact id is the id of a preview, unchanged: ct_live_ or ct_test_ and 16 letters.',
} as const

/** The id of a contact in a request. */
export const RequestedContactId = Type.String({ pattern: contactIdPattern, maxLength: 1_000, ...invalidContactId })

/** The person's part of a preview. The import has already shortened the last name. */
const person = {
  id: Type.String({ pattern: contactIdPattern, maxLength: 24, examples: ['ct_live_PqLmXzTbVnRwKdHc'] }),
  object: Type.Literal('contact_preview'),
  first_name: Nullable(Type.String({ maxLength: 500 })),
  last_name_obfuscated: Nullable(Type.String({ maxLength: 8, examples: ['L***'] })),
  role: Nullable(TaxonomyValue()),
  seniority: Type.Union([Type.Literal('executive'), Type.Literal('decision_maker'), Type.Literal('other')]),
  title: Nullable(Type.String({ maxLength: 500 })),
  has_verified_email: Type.Boolean(),
  has_phone: Type.Boolean(),
  has_profile: Type.Boolean(),
}

const PreviewedStore = ClosedObject(
  {
    id: Type.String({ pattern: storeIdPattern, maxLength: 24 }),
    domain: Domain,
    name: StoreName,
    category: Nullable(TaxonomyValue()),
    traffic_tier: Nullable(TaxonomyValue()),
    technologies: ClosedObject(
      {
        apps: Type.Array(TaxonomyValue(), { maxItems: maxTechnologies }),
        pixels: Type.Array(TaxonomyValue(), { maxItems: maxTechnologies }),
      },
      { title: 'PreviewedTechnologies' },
    ),
  },
  { title: 'PreviewedStore' },
)

/** A contact without its channels. */
export const ContactPreview = ClosedObject(
  {
    ...person,
    revealed: Type.Boolean({ description: 'Whether your account has revealed this contact already.' }),
    store: PreviewedStore,
  },
  { title: 'ContactPreview' },
)

/** The console's preview: a view adds `revealable`. */
export const ViewedContactPreview = ClosedObject(
  {
    ...ContactPreview.properties,
    revealable: Type.Boolean({
      description:
        'Whether the contact has a channel that may be delivered. If the preview names none, it is an email that is not verified.',
    }),
  },
  { title: 'ViewedContactPreview' },
)

/**
 * The import renders a preview as two texts: one is stored with the contact, one with the store. A delivery joins them and
 * adds `revealed`.
 */
export const previewVersion = 1

const Person = ClosedObject(person)
export type PreviewedPerson = Static<typeof Person>

const serializePerson = buildSerializer(Person as object)
const serializeStore = buildSerializer(PreviewedStore as object)

export function renderPreviewedPerson(preview: PreviewedPerson): string {
  return `${serializePerson(preview).slice(0, -1)},"revealed":`
}

export function renderPreviewedStore(store: Store): string {
  return serializeStore(store)
}

/** The internal ids of contacts that a search found. */
export function contactIdsOf(positions: readonly ContactSortKey[]): number[] {
  return positions.map(({ storeId, contact }) => contactKey(storeId, contact % contactsPerStore))
}
