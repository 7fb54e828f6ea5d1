import type { ReactNode } from 'react'
import type { Store } from '#api/catalogue.ts'
import type { Taxonomy } from '#lib/filters/taxonomy.ts'
import { formatCount, formatDay, formatEstimate, formatNumber } from '#lib/format.ts'

interface StoreFactsProps {
  store: Store
  taxonomy: Taxonomy
}

/** The facts about a store. Unknown facts are shown as unknown. */
export function StoreFacts({ store, taxonomy }: StoreFactsProps) {
  const { store_created_at: created, contacts_summary: contacts } = store
  const label = (list: Parameters<Taxonomy['label']>[0], value: string | null) => value && taxonomy.label(list, value)
  return (
    <section aria-label="Facts" className="rounded-lg border border-line bg-surface">
      <dl className="divide-y divide-line">
        <Fact name="Category">{label('categories', store.category)}</Fact>
        <Fact name="Country">{label('countries', store.country)}</Fact>
        <Fact name="Traffic">{label('traffic_tiers', store.traffic_tier)}</Fact>
        <Fact name="Revenue">{label('revenue_tiers', store.revenue_tier)}</Fact>
        <Fact name="Platform tier">{store.platform_plus ? 'Premium' : 'Standard'}</Fact>
        <Fact name="Opened">
          {created?.estimate && (
            <>
              {formatEstimate(created.estimate, created.resolution)}
              {created.confidence && <span className="text-muted"> · {created.confidence} confidence</span>}
            </>
          )}
        </Fact>
        <Fact name="First seen">{store.first_discovered_at && formatDay(store.first_discovered_at)}</Fact>
        <Fact name="Fit">
          {store.lead_fit_score !== null && formatNumber(store.lead_fit_score, { maximumFractionDigits: 1 })}
        </Fact>
        <Fact name="People">
          {formatNumber(contacts.total)}
          <span className="text-muted"> · {formatCount(contacts.verified_email_count, 'verified email')}</span>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-4 px-4 py-2">
      <dt className="w-24 shrink-0 text-muted">{name}</dt>
      <dd className="min-w-0 flex-1 wrap-anywhere">{children || <span className="text-muted">Not known</span>}</dd>
    </div>
  )
}
