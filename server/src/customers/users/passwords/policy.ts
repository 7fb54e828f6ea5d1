import { Refusal } from '../../../foundation/kernel/errors.ts'
import { trimMatching } from '../../../foundation/kernel/text/trim.ts'

const minLength = 12

/** Throws `weak_password` for a password that is too short or easily guessed. */
export async function requireStrongPassword(password: string, user: { email: string; name: string }): Promise<void> {
  if ([...password.normalize('NFKC')].length < minLength)
    throw new Refusal('weak_password', `A password needs ${minLength} characters or more.`, { param: 'password' })
  if (isAboutUser(password, user))
    throw new Refusal('weak_password', 'A password must not be made of your name or email address.', {
      param: 'password',
    })
  if (await isCommon(password))
    throw new Refusal('weak_password', 'This password is common and easily guessed; choose another one.', {
      param: 'password',
    })
}

/** Whether little is left without the user's name, address and the name of the service. */
function isAboutUser(password: string, { email, name }: { email: string; name: string }): boolean {
  const words = `${email} ${name} storedex`.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const known = words.filter((word) => word.length >= 4)
  const rest = known.reduce((text, word) => text.replaceAll(word, ''), password.toLowerCase())
  return rest.length < minLength / 2
}

/** Whether the password, or what it is when its repetitions and the digits and signs around it are removed, is listed. */
async function isCommon(password: string): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase()
  const unit = repeatedUnit(text)
  const core = trimMatching(text, /[^\p{L}]/u)
  const common = await loadCommonPasswords()
  return isSequence(text) || unit.length < 4 || [text, unit, core, repeatedUnit(core)].some((each) => common.has(each))
}

/** `abc` for `abcabc`; the text itself when it repeats nothing. */
function repeatedUnit(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1))
}

/** `abcdefghijkl`, `987654321098`. */
function isSequence(text: string): boolean {
  const steps = new Set<number>()
  for (let i = 1; i < text.length; i++) steps.add(text.charCodeAt(i) - text.charCodeAt(i - 1))
  // The step from 9 to 0 is allowed in a sequence.
  return [...steps].filter((step) => Math.abs(step) !== 9).length <= 1
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined

/** The list is loaded when it is first needed: a start has no use for it. */
function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common'] as string[]),
  )
  return commonPasswords
}
