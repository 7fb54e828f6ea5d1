import { PageHeader } from '#ui/data/page-header.tsx'

export default function AuditPage() {
  return <PageHeader title="Audit log" />
}
