import { PageHeader } from '#ui/data/page-header.tsx'

export default function BillingPage() {
  return <PageHeader title="Billing" />
}
