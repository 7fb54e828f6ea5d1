import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type DataKey, dataKeyIdOf } from '../../foundation/kernel/seal.ts'

/** An HMAC over the manifest, and with it over everything in the file, by a key derived from one of the data keys. */
export interface BackupSeal {
  /** The id of the data key. */
  keyId: string
  mac: Buffer
}

/**
 * The data key that seals a backup: the one that the key of the identity hashes is sealed with, because no restore goes
 * without it. Undefined if it is not in the keyring.
 */
export function chooseSealingKey(keys: readonly DataKey[], identityKey: Buffer | null): DataKey | undefined {
  if (identityKey === null) return keys[0]
  const id = dataKeyIdOf(identityKey)
  return keys.find((key) => key.id === id)
}

export function sealManifest({ id, secret }: DataKey, manifest: Buffer): BackupSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'storedex backup seal 1', 32))
  return { keyId: id, mac: createHmac('sha256', key).update(manifest).digest() }
}

/** Whether the key with the seal's id is among these, and made the seal. Null if it is not among them. */
export function checkSeal(keys: readonly DataKey[], { keyId, mac }: BackupSeal, manifest: Buffer): boolean | null {
  const key = keys.find(({ id }) => id === keyId)
  return key ? timingSafeEqual(sealManifest(key, manifest).mac, mac) : null
}

export function formatSeal({ keyId, mac }: BackupSeal): string {
  return `${keyId} ${mac.toString('hex')}\n`
}

export function parseSeal(text: string): BackupSeal | undefined {
  const [, keyId, hex] = /^([\w.-]{1,32}) ([0-9a-f]{64})\n$/.exec(text) ?? []
  return keyId && hex ? { keyId, mac: Buffer.from(hex, 'hex') } : undefined
}
