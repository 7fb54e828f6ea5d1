import { PageHeader } from '#ui/data/page-header.tsx'

export default function OperatorPrivacyPage() {
  return <PageHeader title="Privacy requests" />
}
