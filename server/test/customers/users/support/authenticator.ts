import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A WebAuthn authenticator in software: one passkey, with the bytes that a real one sends. */
export interface Authenticator {
  /** Its next counter; zero for one that does not count. */
  counter: number
  create(options: Options, origin: string, flags?: Flags): object
  get(options: Options, origin: string, flags?: Flags): object
}

interface Options {
  challenge: string
  rp?: { id: string }
  rpId?: string
}

interface Flags {
  /** Whether the user was asked for a fingerprint or a PIN. */
  isVerified?: boolean
  /** The host name that it signs for; by default that of the options. */
  rpId?: string
}

export function createAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  const authenticator: Authenticator = {
    counter: 1,
    create({ challenge, rp }, origin, { isVerified = true, rpId = rp!.id } = {}) {
      const attested = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        coseKeyOf(publicKey),
      ])
      const authData = authenticatorData(rpId, 0x40, isVerified, 0, attested)
      const attestationObject = cborMap([
        ['fmt', cborText('none')],
        ['attStmt', cborMap([])],
        ['authData', cborBytes(authData)],
      ])
      return credentialOf(id, {
        clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      })
    },
    get({ challenge, rpId: asked }, origin, { isVerified = true, rpId = asked! } = {}) {
      const authData = authenticatorData(rpId, 0, isVerified, authenticator.counter)
      if (authenticator.counter > 0) authenticator.counter++
      const json = clientData('webauthn.get', challenge, origin)
      const signed = Buffer.concat([authData, createHash('sha256').update(json).digest()])
      return credentialOf(id, {
        clientDataJSON: json.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signWith(privateKey, signed),
      })
    },
  }
  return authenticator
}

function signWith(key: KeyObject, bytes: Buffer): string {
  return sign('sha256', bytes, key).toString('base64url')
}

function credentialOf(id: string, response: object): object {
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
    response,
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function authenticatorData(
  rpId: string,
  flags: number,
  isVerified: boolean,
  counter: number,
  attested: Uint8Array = Buffer.alloc(0),
): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  const allFlags = flags | 0x01 | (isVerified ? 0x04 : 0)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([allFlags]), count, attested])
}

/** A P-256 key in COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKeyOf(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  const point = (text: string | undefined) => cborBytes(Buffer.from(text!, 'base64url'))
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
    Buffer.from([0x21]),
    point(x),
    Buffer.from([0x22]),
    point(y),
  ])
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}

function cborMap(entries: [name: string, value: Buffer][]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flatMap(([name, value]) => [cborText(name), value])])
}
