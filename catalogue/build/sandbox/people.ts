import {
  type Email,
  emailStatuses,
  emailTypes,
  phoneTypes,
} from '../../../server/src/foundation/encryption/contact-facts.ts'
import { readFacet } from '../taxonomy/files.ts'
import { type ChannelPlan, lastNamePeople, namePeople, type SandboxPerson, scriptPeople, titlePeople } from './names.ts'

/** The people of the shop `sandbox-contacts-<edge>.example`. */
export interface SandboxTeam {
  edge: string
  people: SandboxPerson[]
}

const verified: ChannelPlan<Email> = { status: 'verified' }
const unverified: ChannelPlan<Email> = { status: 'unverified' }

const choices: SandboxPerson[] = [
  { id: 'primary-first', emails: [{ ...verified, is_primary: true }, verified] },
  { id: 'primary-last', emails: [unverified, verified, { ...verified, is_primary: true }] },
  { id: 'primary-bounced', emails: [{ status: 'bounced', is_primary: true }, verified] },
  {
    id: 'primary-suppressed',
    emails: [{ status: 'suppressed', is_primary: true }, { status: 'guessed' }, { status: 'accept_all' }, verified],
  },
  { id: 'primary-unverified', emails: [{ ...unverified, is_primary: true }, verified] },
  { id: 'no-primary', emails: [verified, verified] },
  {
    id: 'two-primaries',
    emails: [verified, { ...verified, is_primary: true }, { ...verified, is_primary: true }],
  },
  {
    id: 'spelt-twice',
    emails: [
      { ...verified, email: 'spelt-twice@sandbox-contacts-emails.example' },
      { ...verified, email: 'Spelt-Twice@Sandbox-Contacts-Emails.Example' },
    ],
  },
  {
    id: 'ten-emails',
    emails: Array.from({ length: 10 }, (_, index) => ({ ...verified, type: emailTypes[index % emailTypes.length]! })),
  },
]

const phones: SandboxPerson[] = [
  ...phoneTypes.map((type) => ({ id: `phone-${type}`, phones: [{ type }] })),
  { id: 'unverified-and-phone', emails: [unverified], phones: [{}] },
  {
    id: 'ten-phones',
    phones: Array.from({ length: 10 }, (_, index) => ({
      type: phoneTypes[index % phoneTypes.length]!,
      is_primary: index === 3,
    })),
  },
  {
    id: 'spelt-twice',
    phones: [
      { phone: '+1 202 555 0198', type: 'office' },
      { phone: '+1 (202) 555-0198', type: 'mobile' },
    ],
  },
  { id: 'extension', phones: [{ phone: '+1 202 555 0199 ext. 7', type: 'office' }] },
]

/** Every combination of channels, but for none at all. */
const channels: SandboxPerson[] = Array.from({ length: 7 }, (_, index) => {
  const [hasEmail, hasPhone, hasProfile] = [4, 2, 1].map((bit) => ((index + 1) & bit) !== 0)
  const names = [hasEmail && 'email', hasPhone && 'phone', hasProfile && 'profile'].filter((name) => name !== false)
  return {
    id: names.length === 1 ? `${names[0]}-only` : names.join('-and-'),
    ...(hasEmail ? { emails: [verified] } : {}),
    ...(hasPhone ? { phones: [{}] } : {}),
    ...(hasProfile ? { hasProfile } : {}),
  }
})

/** In reverse result order, except for two contacts with equal sort keys. */
const order: SandboxPerson[] = (['other', 'decision_maker', 'executive'] as const).flatMap((seniority) => {
  const id = slug(seniority)
  return [
    { id: `${id}-unverified`, seniority, emails: [unverified] },
    { id: `${id}-verified`, seniority, emails: [verified] },
    { id: `${id}-verified-next`, seniority, emails: [verified] },
  ]
})

/** Ten of each seniority, the first five of them with a verified email: they stand in result order. */
const many: SandboxPerson[] = Array.from({ length: 30 }, (_, index) => ({
  id: `person-${String(index + 1).padStart(2, '0')}`,
  seniority: (['executive', 'decision_maker', 'other'] as const)[Math.floor(index / 10)]!,
  emails: [index % 10 < 5 ? verified : unverified],
}))

/** The people of the sandbox by what they are for, in the order of its guide. */
export const sandboxTeams: SandboxTeam[] = [
  {
    edge: 'email-status',
    people: emailStatuses.map((status) => ({ id: `email-${slug(status)}`, emails: [{ status }] })),
  },
  {
    edge: 'email-type',
    people: emailTypes.map((type) => ({ id: `email-${type}`, emails: [{ ...verified, type }] })),
  },
  { edge: 'emails', people: choices },
  {
    edge: 'unverified',
    people: (['accept_all', 'unverified', 'unknown'] as const).map((status) => ({
      id: `${slug(status)}-only`,
      emails: [{ status }],
    })),
  },
  {
    edge: 'withheld',
    people: [
      { id: 'no-channels' },
      ...(['bounced', 'invalid', 'guessed', 'suppressed'] as const).map((status) => ({
        id: `${status}-only`,
        emails: [{ status }],
      })),
      {
        id: 'all-withheld',
        emails: (['bounced', 'invalid', 'guessed', 'suppressed'] as const).map((status) => ({ status })),
      },
    ],
  },
  { edge: 'phones', people: phones },
  { edge: 'channels', people: channels },
  { edge: 'names', people: namePeople },
  { edge: 'last-names', people: lastNamePeople },
  { edge: 'scripts', people: scriptPeople },
  { edge: 'titles', people: titlePeople },
  {
    edge: 'roles',
    people: [
      ...readFacet('roles').map(({ value }) => ({ id: `role-${slug(value)}`, role: value, emails: [verified] })),
      // No filter on roles finds this person, so seniority puts them before the others.
      { id: 'no-role', seniority: 'executive', emails: [verified] },
    ],
  },
  { edge: 'order', people: order },
  { edge: 'many', people: many },
  { edge: 'nobody', people: [] },
]

function slug(value: string): string {
  return value.replaceAll('_', '-')
}
