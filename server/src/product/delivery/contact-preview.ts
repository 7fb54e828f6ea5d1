import { type ContactSortKey, contactsPerStore, seniorities } from '@storedex/search-index'
import buildSerializer from 'fast-json-stringify'
import { type Static, Type } from 'typebox'
import { contactKey } from '../../foundation/kernel/ids.ts'
import { ClosedObject, Nullable, ObjectKind, OneOf, TaxonomyValue } from '../../foundation/kernel/shapes.ts'
import {
  Domain,
  type Store,
  StoreCategory,
  StoreId,
  StoreName,
  TrafficTier,
  technologyLists,
} from './store-document.ts'

export const contactIdPattern = '^ct_[A-Za-z]+_[A-Za-z]{16}$'

/** How a contact id in a request is refused that is none. */
export const invalidContactId = {
  errorCode: 'invalid_contact_id',
  errorMessage: 'A contact id is the id of a preview, unchanged: ct_live_ or ct_test_ and 16 letters.',
} as const

/** The id of a contact in a request. */
export const RequestedContactId = Type.String({
  pattern: contactIdPattern,
  maxLength: 1_000,
  published: { maxLength: 24 },
  ...invalidContactId,
})

/** The id of a contact in a reply. */
export const ContactId = Type.String({
  pattern: contactIdPattern,
  maxLength: 24,
  description: 'Id of the contact, the same in a preview and in a reveal.',
  examples: ['ct_live_PqLmXzTbVnRwKdHc'],
})

/** What previews and reveals say alike about a person. */
export const personProperties = {
  first_name: Nullable(
    Type.String({ maxLength: 500, description: 'First name; null if unknown.', examples: ['Mara'] }),
  ),
  role: Nullable(
    TaxonomyValue({
      description: 'Role in the store, as a value of the taxonomy; null if unknown.',
      examples: ['marketing'],
    }),
  ),
  seniority: OneOf(seniorities, {
    description:
      'How senior the contact is. executive: owns or leads the store. decision_maker: leads an area of it. other: anybody else, or unknown.',
  }),
  title: Nullable(
    Type.String({
      maxLength: 500,
      description: 'Title of the position, as on file; null if unknown.',
      examples: ['Head of Marketing'],
    }),
  ),
}

/** The last name of a person whose name is not revealed. */
export const LastNameObfuscated = Nullable(
  Type.String({
    maxLength: 8,
    description: 'First letter of the last name, then asterisks; null if unknown.',
    examples: ['L***'],
  }),
)

/** The person's part of a preview. The import has already shortened the last name. */
const person = {
  id: ContactId,
  object: ObjectKind('contact_preview'),
  first_name: personProperties.first_name,
  last_name_obfuscated: LastNameObfuscated,
  role: personProperties.role,
  seniority: personProperties.seniority,
  title: personProperties.title,
  has_verified_email: Type.Boolean({ description: 'Whether a reveal would deliver a verified email.' }),
  has_phone: Type.Boolean({ description: 'Whether a reveal would deliver a phone number.' }),
  has_profile: Type.Boolean({ description: 'Whether a reveal would deliver the URL of a social profile.' }),
}

const PreviewedStore = ClosedObject(
  {
    id: StoreId,
    domain: Domain,
    name: StoreName,
    category: StoreCategory,
    traffic_tier: TrafficTier,
    technologies: ClosedObject(technologyLists, {
      title: 'PreviewedTechnologies',
      description: 'Apps and pixels of the store.',
    }),
  },
  { title: 'PreviewedStore', description: 'The store at which the contact works.' },
)

/** A contact without its channels. */
export const ContactPreview = ClosedObject(
  {
    ...person,
    revealed: Type.Boolean({ description: 'Whether your account has revealed this contact already.' }),
    store: PreviewedStore,
  },
  {
    title: 'ContactPreview',
    description: 'A contact without its channels, which a reveal delivers for a contact credit.',
  },
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
