import type { Seniority } from '@storedex/search-index'
import { type Static, Type } from 'typebox'
import {
  type Email,
  emailStatuses,
  emailTypes,
  fullNameOf,
  maxChannels,
  type Phone,
  phoneTypes,
} from '../../encryption/contact-facts.ts'
import { hashesOfChannels } from '../../encryption/identities.ts'
import { Closed } from '../../kernel/shapes.ts'
import { readChannels } from '../contact-channels.ts'
import { Given, Host, type Patched, readHost, Text, Word, when } from '../fields.ts'
import type { ReadContext } from '../kind.ts'
import { RecordProblem } from '../problem.ts'
import { compileShapeCheck } from '../shape.ts'
import { readPlainText, readShownText, refuseChannels } from './contact-text.ts'

/** A person as an import file has them. A field that is missing says nothing; null says that there is no value. */
export const ContactRecord = Closed({
  store_domain: Host,
  external_id: Given(Text(200)),
  first_name: Given(Text(500)),
  last_name: Given(Text(500)),
  full_name: Given(Text(500)),
  title: Given(Text(500)),
  role: Given(Word),
  seniority: Given(Word),
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
  const storeHost = readHost('store_domain', record.store_domain)
  const names = {
    firstName: when(record.first_name, (name) => readShownText('first_name', name)),
    lastName: when(record.last_name, (name) => readPlainText('last_name', name)),
    fullName: when(record.full_name, (name) => readPlainText('full_name', name)),
    title: when(record.title, (title) => readShownText('title', title)),
  }
  const externalId = when(record.external_id, (id) => readPlainText('external_id', id)) ?? null
  const { normal, hasNationalPhones, ...channels } = readChannels(record)
  return {
    storeHost,
    externalKey: seals.identities.externalKey(keyOf(externalId, normal.emails[0]?.normal, names)),
    externalId,
    ...names,
    role: when(record.role, (word) => refuseChannels('role', words.read('role', 'role', word))),
    seniority: when(record.seniority, (word) => words.read('seniority', 'seniority', word) as Seniority),
    ...channels,
    channelHashes: hasNationalPhones ? null : hashesOfChannels(seals.identities, normal),
  }
}

/** The first of what can tell a person from others at the store; the kinds never collide. */
function keyOf(
  externalId: string | null,
  email: string | undefined,
  { firstName, lastName, fullName, title }: Pick<ContactPatch, 'firstName' | 'lastName' | 'fullName' | 'title'>,
): (string | null)[] {
  if (externalId !== null) return ['external_id', externalId]
  if (email !== undefined) return ['email', email]
  const name = fullNameOf({
    full_name: fullName ?? null,
    first_name: firstName ?? null,
    last_name: lastName ?? null,
  })
  if (name !== null) return ['name', name, title ?? null]
  throw new RecordProblem('nothing tells who this is: external_id, an email or a name is needed')
}
