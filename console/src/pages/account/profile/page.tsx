import { PageHeader } from '#ui/data/page-header.tsx'

export default function ProfilePage() {
  return <PageHeader title="Profile" />
}
