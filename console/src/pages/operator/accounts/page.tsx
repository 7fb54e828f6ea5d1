import { PageHeader } from '#ui/data/page-header.tsx'

export default function OperatorAccountsPage() {
  return <PageHeader title="Accounts" />
}
