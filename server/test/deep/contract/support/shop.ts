import { startTestApp } from '../../../support/app.ts'

export const domain = 'aurora-candles.example'
export const email = `mara@${domain}`

/** A service with one store and one person at it, and a key that may reveal. */
export async function startShop() {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain, name: 'Aurora Candles', country: 'DE', lead_fit_score: 0.8 }])
  await app.importContacts([
    {
      ...{ store_domain: domain, first_name: 'Mara', last_name: 'Lindqvist', role: 'marketing' },
      emails: [{ email, status: 'verified', type: 'work', is_primary: true }],
    },
  ])
  await app.searchFollows()
  const key = await app.key({ scopes: ['usage:read', 'stores:read', 'contacts:search', 'contacts:reveal'] })
  return { address: `${app.url}/api/v1`, secret: key.secret, url: app.url }
}
