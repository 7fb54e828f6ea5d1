import { type Static, Type } from 'typebox'
import { normalizeEmail } from '../contacts/channels.ts'
import {
  type ContactFacts,
  type Email,
  emailStatuses,
  emailTypes,
  fullNameOf,
  type Phone,
  phoneTypes,
} from '../contacts/facts.ts'
import type { IdentityHasher } from '../contacts/identities.ts'
import { Closed } from '../kernel/shapes.ts'
import { type Seniority, seniorities } from '../search/traits.ts'
import { isNational, readEmails, readPhones, readProfileUrl } from './contact-channels.ts'
import { hashChannels } from './contact-rows.ts'
import { readPlainText, readShownText, refuseChannels } from './contact-text.ts'
import { Given, Host, type Patched, readHost, Text, Word, when } from './fields.ts'
import type { ReadContext } from './kind.ts'
import { RecordProblem } from './problem.ts'
import { compileShapeCheck } from './shape.ts'

const maxChannels = 50

/** A person as an import file has them. A field that is missing says nothing; null says that there is no value. */
export const ContactRecord = Closed({
  store_domain: Host,
  external_id: Given(Text(200)),
  first_name: Given(Text(500)),
  last_name: Given(Text(500)),
  full_name: Given(Text(500)),
  title: Given(Text(500)),
  role: Given(Word),
  seniority: Given(Type.Enum([...seniorities])),
  profile_url: Given(Text(2_048)),
  emails: Given(
    Type.Array(
      Closed({
        email: Text(320),
        status: Given(Type.Enum([...emailStatuses])),
        type: Given(Type.Enum([...emailTypes])),
        is_primary: Given(Type.Boolean()),
      }),
      { maxItems: maxChannels },
    ),
  ),
  phones: Given(
    Type.Array(
      Closed({
        phone: Text(64),
        type: Given(Type.Enum([...phoneTypes])),
        is_primary: Given(Type.Boolean()),
      }),
      { maxItems: maxChannels },
    ),
  ),
})

export type ContactRecord = Static<typeof ContactRecord>

/** What a record asks to change, in canonical values. */
export interface ContactPatch {
  /** Any host of the store. */
  storeHost: string
  /** Stands for what tells the person from others at the store. */
  externalKey: Buffer
  /** Part of the key, so the same in every record of the person. */
  externalId: string | null
  firstName: Patched<string>
  lastName: Patched<string>
  fullName: Patched<string>
  title: Patched<string>
  role: Patched<string>
  seniority: Patched<Seniority>
  profileUrl: Patched<string>
  emails: Patched<Email[]>
  phones: Patched<Phone[]>
  /** What the record's channels are recognised by; null where that hangs on the country of the store. */
  channelHashes: string[] | null
}

const checkShape = compileShapeCheck(ContactRecord)

/** Reads one record; throws `RecordProblem` for what cannot be taken as it is. Nothing is guessed, cut or dropped. */
export function readContactRecord(value: unknown, { words, seals }: ReadContext): ContactPatch {
  const problem = checkShape(value)
  if (problem !== null) throw new RecordProblem(problem)
  const record = value as ContactRecord
  const patch = {
    storeHost: readHost('store_domain', record.store_domain),
    externalId: when(record.external_id, (id) => readPlainText('external_id', id)) ?? null,
    firstName: when(record.first_name, (name) => readShownText('first_name', name)),
    lastName: when(record.last_name, (name) => readPlainText('last_name', name)),
    fullName: when(record.full_name, (name) => readPlainText('full_name', name)),
    title: when(record.title, (title) => readShownText('title', title)),
    role: when(record.role, (word) => refuseChannels('role', words.read('role', 'role', word))),
    seniority: record.seniority,
    profileUrl: when(record.profile_url, readProfileUrl),
    emails: when(record.emails, readEmails),
    phones: when(record.phones, readPhones),
  }
  return {
    ...patch,
    externalKey: keyOf(patch, seals.identities),
    channelHashes: patch.phones?.some(isNational) ? null : hashChannels(seals.identities, channelsOf(patch), null),
  }
}

/** The channels that a record brings. */
export function channelsOf({ profileUrl, emails, phones }: Pick<ContactPatch, 'profileUrl' | 'emails' | 'phones'>) {
  return { profile_url: profileUrl ?? null, emails: emails ?? [], phones: phones ?? [] }
}

/** The first of what can tell a person from others at the store; kinds are told apart, so that they never collide. */
function keyOf(patch: Omit<ContactPatch, 'externalKey' | 'channelHashes'>, identities: IdentityHasher): Buffer {
  if (patch.externalId !== null) return identities.externalKey(['external_id', patch.externalId])
  const [email] = patch.emails ?? []
  if (email) return identities.externalKey(['email', normalizeEmail(email.email)])
  const fullName = fullNameOf({
    full_name: patch.fullName ?? null,
    first_name: patch.firstName ?? null,
    last_name: patch.lastName ?? null,
  } as ContactFacts)
  if (fullName !== null) return identities.externalKey(['name', fullName, patch.title ?? null])
  throw new RecordProblem('nothing tells who this is: external_id, an email or a name is needed')
}
