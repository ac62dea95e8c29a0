// The public API of core, grouped by task. test/surface.test.ts keeps the list.

// asks, answers and outcomes
export { type Answer, type AnswerDigests, answerDigests, type CheckedAnswer, checkAnswer } from './ask/answer.ts'
export { liftComment } from './ask/answer-comment.ts'
export { type AnswerWarning, answerWarnings } from './ask/answer-warnings.ts'
export {
  type Ask,
  type AskCaller,
  type AskDraft,
  type AskState,
  answer,
  askAt,
  type CastVote,
  draftProblem,
  expire,
  type FastAnswer,
  type StoredVote,
  type AskTransition,
  mayCancel,
  needsSeveral,
  raise,
  type Surface,
  type Vote,
  type WithdrawReason,
  withdraw,
} from './ask/ask.ts'
export { approved, decisionForm, isApprovalForm, isDecision } from './ask/decision.ts'
export { type Approver, approverNames, type Person } from './ask/approver.ts'
export {
  type ApprovalRule,
  groupsNamed,
  isApprovedBy,
  mayDecide,
  maySee,
  ruleOf,
  soleApprover,
} from './ask/approval-rule.ts'
export { approvalNeeds } from './ask/approval-text.ts'
export {
  type ApprovalFactor,
  type ApprovalRequirement,
  approvalsMissing,
  mayApprove,
  meetsRequirements,
  requirementsProblem,
} from './ask/approval-places.ts'
export { type AskOutcome, isYes, askOutcomeOf } from './ask/outcome.ts'
export {
  type AnswerName,
  type NamedOutcome,
  nameAnswer,
  nameContent,
  namedOutcomeOf,
  namedOutcomes,
  type Verdict,
  verdicts,
} from './ask/person-answer.ts'
export type { AskingCall, Question, SecretPage } from './ask/question.ts'
export { type OpenLimitName, isTooManyOpen, type OpenLimits, TooManyOpen } from './ask/open-limits.ts'

// forms
export {
  boolean,
  type ChoicesFieldSettings,
  choice,
  choices,
  form,
  type ListFieldSettings,
  list,
  type NumberFieldSettings,
  number,
  type ChoiceOptions,
  optional,
  type FieldSpec,
  type TextFieldSettings,
  text,
} from './form/build.ts'
export { type CheckedContent, type ContentCheckOptions, type ContentIssue, checkContent } from './form/check.ts'
export { encodeForm, type Revision2025 } from './form/encode.ts'
export type { EncodedForm } from './form/encode-2025-06-18.ts'
export type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Content,
  ContentOf,
  Field,
  FieldValue,
  Form,
  FormOf,
  ListField,
  NumberField,
  Option,
  TextField,
  TextFormat,
  TextRules,
} from './form/form.ts'
export { mustBeFilled } from './form/form.ts'
export { listOfText, textOfList } from './form/list-text.ts'
export { type CompiledPattern, type CompilePattern, trustedPatterns } from './form/patterns.ts'
export type { FormProblem, ProblemCode } from './form/problems.ts'
export { type FormRead, readForm } from './form/read.ts'

// show text, links and forms of a server safely
export type { ShownHost } from './screen/host.ts'
export type { UrlWarning, UrlWarningCode } from './screen/host-warnings.ts'
export { looksLikeSecret, type SecretShape } from './screen/secret-shapes.ts'
export { contradicts, screenOptions } from './screen/options.ts'
export { type QuestionPart, type ScreenedField, type SecretFinding, screenForSecrets } from './screen/secrets.ts'
export {
  oneLine,
  shownInTerminal,
  shownOnOneLine,
  type TextOptions,
  type TextSurface,
  visibleText,
} from './screen/text.ts'
export { screenUrl, type UrlOptions, type UrlRefusal, type UrlScreening } from './screen/url.ts'

// the views of the inbox API
export { askView, type DisplayNames } from './inbox/ask-view.ts'
export { drawField } from './inbox/draw-field.ts'
export { callerText, whoAsks } from './inbox/who-asks.ts'
export { agoText, endingText } from './inbox/ending-text.ts'
export type {
  JsonFieldView,
  PlayBody,
  PlayFieldView,
  PlayRunView,
  PlayToolView,
  PlayView,
} from './inbox/play-view.ts'
export type {
  AgentsView,
  AnswerBody,
  AnsweredView,
  AskPageView,
  ChainView,
  ChangeView,
  StatisticsView,
  HandOverBody,
  InboxProblem,
  InboxProblemCode,
  LoginStartView,
  MeView,
  NonceView,
  OneAskView,
  PasskeyAddBody,
  PasskeyAddStartView,
  PasskeyAuthoriseBody,
  PasskeyAuthoriseView,
  PasskeyCreationView,
  PasskeyRemoveStartView,
  PasskeyRequestView,
  PasskeysView,
  PresenceBody,
  PresenceNoticeView,
  PresenceStartView,
  ProofView,
  SealedSecret,
  SignedInView,
  SignInView,
  ToolStatistics,
} from './inbox/api.ts'
export type {
  AnsweredAs,
  AskerView,
  AskView,
  BooleanFieldView,
  ButtonView,
  ChoiceFieldView,
  ChoicesFieldView,
  CallView,
  DeclaredView,
  DecisionView,
  DrawnValue,
  FieldView,
  LinkView,
  ListFieldView,
  NumberFieldView,
  OptionView,
  PersonView,
  QuestionView,
  QuorumView,
  SecretView,
  StateView,
  TextFieldView,
  VoteView,
} from './inbox/view.ts'

// digests and canonical JSON
export {
  type Action,
  actionDigest,
  type RequestIdentity,
  requestDigest,
  toolDefinitionDigest,
} from './digest/action.ts'
export { canonicalJson } from './digest/canonical.ts'
export { type DigestDomain, digestOf, isDigest } from './digest/digest.ts'
export { parseJsonStrictly, type ReadingRules, readJson } from './digest/parse.ts'

// `_meta` members between SDK and gateway
export {
  type AnswerMeta,
  type AskMeta,
  answerMeta,
  answerMetaKey,
  askCapability,
  askMeta,
  askMetaKey,
  checkedBlock,
  problemMark,
  readAnswerMeta,
  readAskMeta,
  understandsAskMeta,
  withoutChecked,
} from './ask/ask-meta.ts'

export {
  actionMeta,
  actionMetaKey,
  actionMetaOf,
  type DeclaredAction,
  readDeclaredAction,
} from './ask/declared-action.ts'

// passkeys and decisions that need one
export {
  type Assertion,
  type AssertionCheck,
  type AssertionResponse,
  isAssertion,
  isAssertionResponse,
  type PasskeyAlgorithm,
  verifyAssertion,
} from './presence/assertion.ts'
export { actionDigestOf, askChallenge } from './ask/presence-challenge.ts'
export {
  isPresenceSetting,
  isWeakerPresence,
  needsPresence,
  type PresenceSetting,
  presenceSettings,
  requiresPresence,
  stricterPresence,
} from './ask/needs-presence.ts'
export {
  isSignedPasskey,
  type PasskeyChange,
  newPasskeyDigest,
  passkeyChallenge,
  type PasskeyTerms,
  signPasskey,
} from './presence/passkey.ts'

// sealed state
export { createKeyRing, type KeyRing, type MacPurpose, type RingKey, type SealKey } from './seal/key-ring.ts'
export {
  isSealedFor,
  type SealBinding,
  type SealRefusal,
  seal,
  stateRefused,
  type Unsealed,
  unseal,
} from './seal/seal.ts'

// signatures of asks, votes and grants
export {
  type AskTerms,
  askTerms,
  checkPresence,
  presenceProblem,
  type GrantTerms,
  grantSignatureProblem,
  type SignatureProblem,
  type StoredSignatures,
  signAsk,
  signatureProblem,
  signatureProblemText,
  signGrant,
  signVote,
} from './ask/ask-signature.ts'

// audit log
export {
  type AuditEntry,
  type AuditKind,
  bodyDigest,
  type ChainVerdict,
  ChainVerifier,
  genesisHash,
  linkHash,
} from './audit/chain.ts'
export { type AuditProof, type ProofVerdict, type ProvenEntry, proofFormat, verifyProof } from './audit/proof.ts'
export { type Checkpoint, signCheckpoint, verifyCheckpoint } from './audit/checkpoint.ts'

// receipts
export { type ReceiptStatement, signReceipt, type VerifiedReceipt, verifyReceipt } from './receipt/receipt.ts'

// limits, errors, names
export { AssentError, type ErrorCode, isAssentError } from './errors.ts'
export { compact } from './compact.ts'
export { type IdKind, isId, isName, newId, timeOfId, type RandomBytes } from './ids.ts'
export { isPlainObject, type JsonObject, type JsonValue } from './json.ts'
export { askLimits, formLimits, presenceLimits, sealLimits, secretLimits } from './limits.ts'
export { type Revision, revisions } from './revisions.ts'
