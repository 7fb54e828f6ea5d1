import { PageHeader } from '#ui/data/page-header.tsx'

export default function SessionsPage() {
  return <PageHeader title="Sessions" />
}
