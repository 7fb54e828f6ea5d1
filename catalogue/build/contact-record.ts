import type { Seniority } from '../../packages/search-index/src/traits.ts'
import type { Email, Phone } from '../../server/src/encryption/contact-facts.ts'

/** A contact as `storedex import contacts` reads it; a missing field means unknown. */
export interface ContactRecord {
  store_domain: string
  external_id: string
  first_name?: string
  last_name?: string
  /** Left out where it is first and last name joined. */
  full_name?: string
  title?: string
  role?: string
  seniority: Seniority
  profile_url?: string
  /** Without a primary one the first is it. */
  emails?: (Partial<Email> & Pick<Email, 'email'>)[]
  phones?: (Partial<Phone> & Pick<Phone, 'phone'>)[]
}
