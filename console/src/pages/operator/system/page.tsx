import { PageHeader } from '#ui/data/page-header.tsx'

export default function SystemPage() {
  return <PageHeader title="System" />
}
