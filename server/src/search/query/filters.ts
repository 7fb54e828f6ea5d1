import { type Static, type TSchema, Type } from 'typebox'
import { ClosedObject, Described, Timestamp } from '../../foundation/kernel/shapes.ts'

/**
 * The filters of both searches as callers send them. Every object is closed: a misspelt filter is refused instead of silently
 * widening the search. Values are checked against the taxonomy when they are normalized.
 */

const maxListItems = 50

const Words = (description: string, ...examples: string[]) =>
  Type.Array(Type.String({ maxLength: 100 }), { maxItems: maxListItems, description, examples: [examples] })

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)

const TechnologyFilter = ClosedObject(
  {
    any: optional(Words('Stores with at least one of these.', 'klaviyo')),
    all: optional(Words('Stores with every one of these.', 'klaviyo')),
    none: optional(Words('Stores with not one of these.', 'mailchimp')),
  },
  {
    title: 'TechnologyFilter',
    description: 'All three lists have to hold; an empty one asks for nothing. No value may be in both all and none.',
  },
)

const DateRangeFilter = Type.Object(
  {
    from: optional(Timestamp('Earliest moment, inclusive.')),
    to: optional(Timestamp('Latest moment, inclusive.')),
  },
  {
    title: 'DateRangeFilter',
    additionalProperties: false,
    minProperties: 1,
    description: 'A range of time. At least one bound is needed.',
  },
)

/** Conditions on stores, shared by both searches. */
const storeConditions = {
  categories: optional(
    Words('Category values, one of which the store has; a category covers the categories below it.', 'home_garden'),
  ),
  countries: optional(Words('Countries, one of which the store is in, as ISO 3166-1 alpha-2 codes.', 'DE', 'AT')),
  traffic_tiers: optional(Words('Tiers of monthly visits, one of which the store is in.', '10k_50k')),
  revenue_tiers: optional(Words('Tiers of monthly revenue in USD, one of which the store is in.', '50k_100k')),
  platform_plus: optional(
    Type.Boolean({ description: "Stores on (true) or not on (false) the store platform's premium tier." }),
  ),
  apps: optional(Described(TechnologyFilter, 'The apps that the store uses.')),
  pixels: optional(Described(TechnologyFilter, 'The tracking pixels that the store uses, such as meta_pixel.')),
  themes: optional(
    ClosedObject(
      {
        types: optional(
          Type.Array(Type.String({ maxLength: 100, published: { enum: ['free', 'paid', 'custom'] } }), {
            maxItems: maxListItems,
            description:
              'Types of theme, one of which the store has: free, paid, or custom, made for this store. Letter case does not matter.',
            examples: [['custom']],
          }),
        ),
      },
      { title: 'ThemeFilter', description: 'The theme of the store.' },
    ),
  ),
  meta_ads: optional(
    ClosedObject(
      {
        active_ads_min: optional(
          Type.Integer({
            minimum: 0,
            maximum: 100_000,
            description: 'Stores running at least this many ads; 0 sets no condition.',
            examples: [5],
          }),
        ),
      },
      { title: 'MetaAdsFilter', description: 'The ads that the store runs now.' },
    ),
  ),
  store_created_at: optional(
    Described(DateRangeFilter, 'When the store was created, by its estimate; stores without one do not match.'),
  ),
  first_discovered_at: optional(
    Described(DateRangeFilter, 'When the store was first seen; stores of which that is unknown do not match.'),
  ),
}

export const StoreSearchFilters = ClosedObject(
  {
    ...storeConditions,
    contacts: optional(
      ClosedObject(
        {
          has_revealable_contacts: optional(
            Type.Boolean({ description: 'Stores with (true) or without (false) a contact that can be revealed.' }),
          ),
          roles_any: optional(Words('Stores with a contact in at least one of these roles.', 'marketing', 'founder')),
        },
        { title: 'StoreContactsFilter', description: 'The contacts of the store.' },
      ),
    ),
  },
  {
    title: 'StoreSearchFilters',
    errorCode: 'invalid_filter_value',
    description:
      'A store has to meet every field given; within a list, any one value is enough, and an empty list asks for nothing. Values are those of GET /taxonomy, in any letter case.',
  },
)
export type StoreSearchFilters = Static<typeof StoreSearchFilters>
export type StoreConditions = Omit<StoreSearchFilters, 'contacts'>

export const ContactPersonFilters = ClosedObject(
  {
    roles_any: optional(Words('Roles, one of which the contact has.', 'marketing', 'founder')),
    seniority_any: optional(
      Words('Seniorities, one of which the contact has: executive, decision_maker or other.', 'executive'),
    ),
    has_verified_email: optional(
      Type.Boolean({ description: 'Contacts with (true) or without (false) a verified email.' }),
    ),
    has_phone: optional(Type.Boolean({ description: 'Contacts with (true) or without (false) a phone number.' })),
    has_profile: optional(Type.Boolean({ description: 'Contacts with (true) or without (false) a social profile.' })),
  },
  {
    title: 'ContactPersonFilters',
    errorCode: 'invalid_filter_value',
    description:
      'What the person must be; all conditions hold for one and the same contact. Values are those of GET /taxonomy, in any letter case.',
  },
)
export type ContactPersonFilters = Static<typeof ContactPersonFilters>

export const ContactStoreFilters = ClosedObject(
  {
    domains: optional(
      Type.Array(Type.String({ maxLength: 2048, errorCode: 'invalid_domain' }), {
        maxItems: maxListItems,
        description: 'Exact store domains; URLs are reduced to their host.',
        examples: [['aurora-candles.example']],
      }),
    ),
    ...storeConditions,
  },
  {
    title: 'ContactStoreFilters',
    errorCode: 'invalid_filter_value',
    description: 'What the store of the contact must be; the same fields as in store search.',
  },
)
export type ContactStoreFilters = Static<typeof ContactStoreFilters>
