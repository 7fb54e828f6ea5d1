import { PageHeader } from '#ui/data/page-header.tsx'

export default function WebhooksPage() {
  return <PageHeader title="Webhook events" />
}
