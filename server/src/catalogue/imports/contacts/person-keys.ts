import { fullNameOf } from '../../../foundation/encryption/contact-facts.ts'
import type { IdentityHasher, NormalChannels } from '../../../foundation/encryption/identities.ts'
import { isRoleMailbox } from '../../../foundation/kernel/channels/email.ts'
import { wordsOfName } from '../../../foundation/kernel/similarity.ts'
import type { PatchField } from '../fields/fields.ts'

/** What identifies a contact within its store. */
export interface PersonKeys {
  /** A keyed hash of the external id, or else of the first email, or else of full name and title. */
  main: Buffer
  /** The email in normal form and the name, of a record without external id that has both. */
  person: { email: string; name: string } | null
  /** Whether the email is a role's, such as info@, which identifies no named person. */
  isShared: boolean
}

interface Names {
  firstName: PatchField<string>
  lastName: PatchField<string>
  fullName: PatchField<string>
  title: PatchField<string>
}

type Hasher = Pick<IdentityHasher, 'externalKey'>

/** Null if nothing identifies the person. The first part of a key is the kind, so kinds never collide. */
export function keysOf(
  hasher: Hasher,
  externalId: string | null,
  [email]: NormalChannels['emails'],
  { firstName = null, lastName = null, fullName = null, title = null }: Names,
): PersonKeys | null {
  if (externalId !== null) return nobodyElse(hasher.externalKey(['external_id', externalId]))
  const name = fullNameOf({ full_name: fullName, first_name: firstName, last_name: lastName })
  if (email === undefined) return name === null ? null : nobodyElse(hasher.externalKey(['name', name, title]))
  const { normal, type } = email
  return {
    main: hasher.externalKey(['email', normal]),
    person: name === null ? null : { email: normal, name },
    isShared: type === 'role' || isRoleMailbox(normal),
  }
}

/** Keys that no other name shares. */
function nobodyElse(main: Buffer): PersonKeys {
  return { main, person: null, isShared: false }
}

/** The key of a further person with the same address; null without a name. Made when it is needed: rarely. */
export function keyWithName(hasher: Hasher, { person }: PersonKeys): Buffer | null {
  const words = person === null ? [] : wordsOfName(person.name).sort()
  return words.length === 0 ? null : hasher.externalKey(['email and name', person!.email, words.join(' ')])
}

/**
 * Whether two names can be one person's: all words of the shorter one are in the other, in full or as an initial, and one
 * of them in full. `K. Moss`, `Moss, Kate` and `Dr. Kate Moss` are; `Kate Moss` and `Kate Stone` are not.
 */
export function canBeOnePerson(a: string, b: string): boolean {
  if (a === b) return true
  const [shorter, longer] = [wordsOfName(a), wordsOfName(b)].sort((x, y) => x.length - y.length) as [string[], string[]]
  const rest = [...longer]
  const take = (isSame: (word: string) => boolean) => {
    const at = rest.findIndex(isSame)
    if (at !== -1) rest.splice(at, 1)
    return at !== -1
  }
  const initials = shorter.filter((word) => !take((other) => other === word))
  if (initials.length === shorter.length) return false
  return initials.every((word) => take((other) => isInitialOf(word, other) || isInitialOf(other, word)))
}

function isInitialOf(initial: string, word: string): boolean {
  return [...initial].length === 1 && word.startsWith(initial)
}
