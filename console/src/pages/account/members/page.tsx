import { PageHeader } from '#ui/data/page-header.tsx'

export default function MembersPage() {
  return <PageHeader title="Members" />
}
