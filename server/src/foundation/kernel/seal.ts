import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** One key of a keyring: 32 bytes, with a short id that is stored in front of sealed data. */
export interface DataKey {
  id: string
  secret: Buffer
}

/** Encrypts bytes so that they can be decrypted only with the keyring and only under the same identity. */
export interface Sealer {
  /** `identity` names the owner of the data; the result opens only with the same identity. */
  seal(plain: string | Buffer, identity: string): Buffer
  /**
   * Throws `MissingDataKeyError` when the key is not in the keyring, `SealError` when the bytes were altered or moved.
   */
  open(sealed: Buffer, identity: string): Buffer
  /** The prefix of all data sealed with the newest key; other data awaits resealing. */
  readonly newestPrefix: Buffer
  isNewest(sealed: Buffer): boolean
}

/** The id of the key that sealed these bytes, in the keyring or not. */
export function dataKeyIdOf(sealed: Buffer): string {
  return sealed.toString('latin1', 2, idEndOf(sealed))
}

/** The id is preceded by its length. */
function idEndOf(sealed: Buffer): number {
  return 2 + (sealed[1] ?? 0)
}

/** Contains neither the plaintext nor the key, only the key's public id. */
export class SealError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SealError'
  }
}

/** The data is intact, but the keyring lacks its key. */
export class MissingDataKeyError extends SealError {}

const cipherName = 'aes-256-gcm'
const version = 1
const nonceLength = 12
const tagLength = 16

/**
 * The first key seals, all keys open. Layout: version, length of the key's id, id, nonce, ciphertext, tag. For a
 * missing key the keyring is read again with `readKeysAgain`: another process may have added it.
 */
export function createSealer(keys: readonly DataKey[], readKeysAgain: () => readonly DataKey[] = () => []): Sealer {
  const [newest] = keys
  if (!newest) throw new RangeError('a keyring has at least one key')
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]))
  const newestPrefix = prefixOf(newest.id)

  function reloadKey(missing: string): Buffer | undefined {
    for (const { id, secret } of readKeysAgain()) if (!secrets.has(id)) secrets.set(id, secret)
    return secrets.get(missing)
  }

  function seal(plain: string | Buffer, identity: string): Buffer {
    const nonce = takeNonce()
    const cipher = createCipheriv(cipherName, newest!.secret, nonce).setAAD(Buffer.from(identity))
    const sealed = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
    cipher.final()
    return Buffer.concat([newestPrefix, nonce, sealed, cipher.getAuthTag()])
  }

  function open(sealed: Buffer, identity: string): Buffer {
    const idEnd = idEndOf(sealed)
    if (sealed[0] !== version || sealed.length < idEnd + nonceLength + tagLength)
      throw new SealError('these bytes were not sealed here')
    const id = dataKeyIdOf(sealed)
    const secret = secrets.get(id) ?? reloadKey(id)
    if (!secret) throw new MissingDataKeyError(`the data key "${id}" is not in the keyring`)
    const nonce = sealed.subarray(idEnd, idEnd + nonceLength)
    const decipher = createDecipheriv(cipherName, secret, nonce, { authTagLength: tagLength })
      .setAAD(Buffer.from(identity))
      .setAuthTag(sealed.subarray(-tagLength))
    const plain = decipher.update(sealed.subarray(idEnd + nonceLength, -tagLength))
    try {
      decipher.final()
    } catch {
      throw new SealError('sealed bytes were altered, or moved from where they belong')
    }
    return plain
  }

  const isNewest = (sealed: Buffer) => sealed.subarray(0, newestPrefix.length).equals(newestPrefix)
  return { seal, open, newestPrefix, isNewest }
}

const noncesAtOnce = 256
let nonces = Buffer.alloc(0)

/** Twelve random bytes, never the same ones twice. They are drawn in blocks: a few cost as much as many. */
export function takeNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(nonceLength * noncesAtOnce)
  const nonce = nonces.subarray(0, nonceLength)
  nonces = nonces.subarray(nonceLength)
  return nonce
}

function prefixOf(id: string): Buffer {
  return Buffer.concat([Buffer.from([version, id.length]), Buffer.from(id, 'latin1')])
}

/** Parses comma-separated `id:base64` entries, the sealing key first; undefined for invalid text. */
export function parseDataKeys(text: string): DataKey[] | undefined {
  const keys: DataKey[] = []
  for (const entry of text.split(',')) {
    const [, id, encoded] = /^\s*([\w.-]{1,32}):([A-Za-z0-9+/]{43}=?)\s*$/.exec(entry) ?? []
    if (!id || !encoded || keys.some((key) => key.id === id)) return undefined
    keys.push({ id, secret: Buffer.from(encoded, 'base64') })
  }
  return keys
}

export function formatDataKeys(keys: readonly DataKey[]): string {
  return keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(',')
}

/**
 * A new key, as an entry of a keyring. Its id is random, so that two installations never use one id for different keys.
 */
export function generateDataKey(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`
}
