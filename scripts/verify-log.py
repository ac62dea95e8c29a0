# Verifies an exported audit log with nothing of Assent: Python's standard library, and openssl for Ed25519.
#
#   python3 verify-log.py export <folder> --keys <file> [--older <checkpoint>]
#   python3 verify-log.py entries <folder> --keys <file> --entries <lines of `assent audit export`>
#   python3 verify-log.py proof <file.tlog-proof> --keys <file> --leaf <file>
#   python3 verify-log.py body --leaf <file> --salt <hex> --body <file>
#   python3 verify-log.py batch     (standard input: one JSON array of the arguments above per line)
#
# The keys are those of `assent audit key`, one per line, kept outside the folder.
# Formats: c2sp.org/tlog-tiles, signed-note, tlog-checkpoint, tlog-proof, and the leaf of Assent (docs/decisions). Prints one line per verification. Exit code 0: all verified; 1: not verified; 2: wrong use.
import argparse, base64, datetime, functools, hashlib, json, os, re, stat, subprocess, sys, tempfile

HASH, WIDTH, LEAF_LIMIT, SALT = 32, 256, 512, 16
NOTE_LIMIT, SIGNATURE_LIMIT, PROOF_LIMIT, EXTRA_LIMIT = 131072, 64, 63, 65536
FILE_LIMIT, GIVEN_LIMIT = 262144, 1 << 26
ED25519 = 1
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
SPACES = set(map(chr, [*range(9, 14), 32, 0x85, 0xa0, 0x1680, *range(0x2000, 0x200b), 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]))
DIGEST = re.compile(r'sha256:[0-9a-f]{64}')


class Invalid(Exception):
    pass


def check(condition, problem):
    if not condition:
        raise Invalid(problem)


def sha256(data):
    return hashlib.sha256(data).digest()


# --- strict decoding ---

def text_of(data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        raise Invalid('it is not UTF-8')


def decode(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Invalid('it is not base64')
    check(base64.b64encode(data).decode() == text, 'it is another spelling of base64')
    return data


def hash_of(text):
    data = decode(text)
    check(len(data) == HASH, 'it is not a hash')
    return data


def number(text):
    check(re.fullmatch('0|[1-9][0-9]{0,15}', text) is not None and int(text) < 2 ** 53, 'it is not a number')
    return int(text)


def is_name(name):
    control = any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name)
    return 0 < len(name.encode('utf-16-le')) // 2 <= 256 and not control and not SPACES & set(name) and '+' not in name


# --- Merkle tree (RFC 6962) ---

def node(left, right):
    return sha256(b'\1' + left + right)


def root_of(hashes):
    """The root above a list of hashes: pairs from the left, an odd last one moves up unchanged."""
    row = list(hashes)
    if not row:
        return sha256(b'')
    while len(row) > 1:
        above = [node(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        row = above + row[len(row) - len(row) % 2:]
    return row[0]


def is_included(leaf, index, size, root, proof):
    if index >= size:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node(sibling, found)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


# --- keys, notes, checkpoints ---

def read_key(text):
    parts = text.split('+', 2)
    check(len(parts) == 3 and is_name(parts[0]) and re.fullmatch('[0-9a-f]{8}', parts[1]), 'malformed key')
    data = decode(parts[2])
    check(len(data) == 33 and data[0] == ED25519, 'a key of another type')
    check(sha256(parts[0].encode() + b'\n' + data)[:4].hex() == parts[1], 'a key with another id')
    return {'name': parts[0], 'id': bytes.fromhex(parts[1]), 'public': data[1:]}


@functools.lru_cache(maxsize=None)
def is_signed(public, message, signature):
    if len(signature) != 64:
        return False
    with tempfile.TemporaryDirectory() as folder:
        values = {'key': bytes.fromhex('302a300506032b6570032100') + public, 'data': message, 'signature': signature}
        paths = {name: os.path.join(folder, name) for name in values}
        for name, value in values.items():
            with open(paths[name], 'wb') as file:
                file.write(value)
        command = ['openssl', 'pkeyutl', '-verify', '-rawin', '-pubin', '-keyform', 'DER', '-inkey', paths['key'],
                   '-in', paths['data'], '-sigfile', paths['signature']]
        return subprocess.run(command, capture_output=True).returncode == 0


def read_keys(data):
    lines = [line.strip() for line in text_of(data).split('\n')]
    keys = [read_key(line) for line in lines if line]
    check(keys, 'no keys')
    return keys


def open_note(data, keys):
    """The text, and the keys that signed it. A trusted key with a wrong signature makes the note invalid."""
    check(len(data) <= NOTE_LIMIT, 'the note is too long')
    whole = text_of(data)
    check(not any(ord(c) < 32 and c != '\n' for c in whole), 'the note contains control characters')
    split = whole.rfind('\n\n')
    check(split >= 0 and whole.endswith('\n'), 'it is not a signed note')
    text, lines = whole[:split + 1], whole[split + 2:-1].split('\n')
    check(len(lines) <= SIGNATURE_LIMIT, 'the note has too many signatures')
    signatures = []
    for line in lines:
        parts = line.split(' ')
        check(len(parts) == 3 and parts[0] == '\u2014' and is_name(parts[1]), 'malformed signature line')
        blob = decode(parts[2])
        check(len(blob) > 4, 'malformed signature line')
        signatures.append((parts[1], blob[:4], blob[4:]))
    signed = []
    for name, key_id, blob in signatures:
        known = [key for key in keys if key['name'] == name and key['id'] == key_id]
        valid = [key for key in known if is_signed(key['public'], text.encode(), blob)]
        check(valid or not known, f'the signature of {name} is not valid')
        signed += [key for key in valid[:1] if key not in signed]
    check(signed, 'no signature of a trusted key')
    return text, signed


def open_checkpoint(data, keys):
    text, signed = open_note(data, keys)
    lines = text.split('\n')
    check(len(lines) >= 4 and lines[-1] == '' and '' not in lines[:-1], 'the note is not a checkpoint')
    origin, size, root = lines[0], number(lines[1]), hash_of(lines[2])
    check(size > 0 or root == sha256(b''), 'an empty log with another root')
    check(any(key['name'] == origin for key in signed), f'not signed by the log {origin}')
    return {'origin': origin, 'size': size, 'root': root}


# --- leaves, tiles, the export ---

def read_leaf(data):
    check(len(data) <= LEAF_LIMIT, 'a leaf that is too long')
    lines = text_of(data).split('\n')
    check(len(lines) == 8 and lines[0] == 'assent audit leaf v1' and lines[7] == '', 'not an audit entry')
    _, subject, counter, kind, at, body, assertion, _ = lines
    check(re.fullmatch('[!-~]{1,128}', subject) and len(kind) <= 32 and re.fullmatch(r'[a-z]+(\.[a-z]+)*', kind), 'not an audit entry')
    check(DIGEST.fullmatch(body) and (assertion == '-' or DIGEST.fullmatch(assertion)), 'not an audit entry')
    number(at)
    return {'subject': subject, 'counter': number(counter), 'body': body}


def tile_path(level, index, width):
    groups = f'{index:03d}' if index < 1000 else ''
    if not groups:
        digits = str(index)
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        parts = [digits[i:i + 3] for i in range(0, len(digits), 3)]
        groups = '/'.join(['x' + part for part in parts[:-1]] + parts[-1:])
    return f'tile/{level}/{groups}' + ('' if width == WIDTH else f'.p/{width}')


def read_regular(path, limit):
    """The content of a regular file. A named pipe would be waited for, and a device may never end."""
    with open(path, 'rb', opener=lambda name, flags: os.open(name, flags | getattr(os, 'O_NONBLOCK', 0))) as file:
        check(stat.S_ISREG(os.fstat(file.fileno()).st_mode), f'{os.path.basename(path)} is not a regular file')
        data = file.read(limit + 1)
    check(len(data) <= limit, f'{os.path.basename(path)} is too long')
    return data


def read_file(folder, path):
    try:
        return read_regular(os.path.join(folder, *path.split('/')), FILE_LIMIT)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise Invalid(f'the file {path} is missing')
    except OSError as problem:
        raise Invalid(f'the file {path} cannot be read: {problem.strerror}')


def read_bundle(data, width, path):
    entries, at = [], 0
    while at < len(data) and len(entries) < width:
        end = at + 2 + int.from_bytes(data[at:at + 2], 'big')
        check(at + 2 <= len(data) and end <= len(data), f'{path} is cut off')
        entries.append(data[at + 2:end])
        at = end
    check(at == len(data) and len(entries) == width, f'{path} does not have exactly {width} entries')
    return entries


def verify_export(folder, keys, older):
    head = open_checkpoint(read_file(folder, 'checkpoint'), keys)
    check(head['size'] > 0, 'the log is empty')
    leaves, counters, notes = [], {}, set()
    while len(leaves) < head['size']:
        width = min(WIDTH, head['size'] - len(leaves))
        path = tile_path('entries', len(leaves) // WIDTH, width)
        for entry in read_bundle(read_file(folder, path), width, path):
            leaf, hashed = read_leaf(entry), sha256(b'\0' + entry)
            subject, counter, index = leaf['subject'], leaf['counter'], len(leaves)
            if counter == 0:
                check(hashed not in notes, f'entry {index} is in the log twice')
                notes.add(hashed)
            else:
                check(counter == counters.get(subject, 0) + 1, f'entry {index} is out of order')
                counters[subject] = counter
            leaves.append(hashed)
    level, row = 0, leaves
    while row:
        for at in range(0, len(row), WIDTH):
            part = row[at:at + WIDTH]
            path = tile_path(level, at // WIDTH, len(part))
            check(read_file(folder, path) == b''.join(part), f'{path} does not belong to the entries')
        full = len(row) // WIDTH * WIDTH
        level, row = level + 1, [root_of(row[at:at + WIDTH]) for at in range(0, full, WIDTH)]
    check(root_of(leaves) == head['root'], 'the entries are not those of the checkpoint')
    if older is not None:
        before = open_checkpoint(older, keys)
        check(before['origin'] == head['origin'], 'the older checkpoint is one of another log')
        check(before['size'] <= head['size'], 'the log is shorter than the older checkpoint')
        check(root_of(leaves[:before['size']]) == before['root'], 'the log does not continue the older checkpoint')
    return f"{head['size']} entries"


def verify_entries(folder, keys, file):
    """The export, and that the lines have the text of every entry, unless it was erased."""
    verify_export(folder, keys, None)
    size = open_checkpoint(read_file(folder, 'checkpoint'), keys)['size']
    count, erased, partial, asks, approvals, leaves = 0, 0, False, {}, {}, []
    with open(file, encoding='utf-8') as lines:
        for line in lines:
            entry = json.loads(line)
            if entry.get('type') != 'entry' or count == size:
                continue
            if count % WIDTH == 0:
                width = min(WIDTH, size - count)
                path = tile_path('entries', count // WIDTH, width)
                leaves = read_bundle(read_file(folder, path), width, path)
            leaf, text = leaves[count % WIDTH], entry.get('text')
            count += 1
            check(entry['seq'] == count, f'entry {count} is missing in the lines')
            _, subject, counter, kind, at, _, assertion, _ = text_of(leaf).split('\n')
            stated = datetime.datetime.fromisoformat(entry['at'].replace('Z', '+00:00'))
            stated_ms = (stated - EPOCH) // datetime.timedelta(milliseconds=1)
            same = [entry['subject'], entry['counter'], entry['kind'], stated_ms] == [subject, int(counter), kind, int(at)]
            check(same, f'entry {count} is not the one in the log')
            body = None
            if text is None and entry.get('salt') is None:
                erased += 1
            else:
                check(isinstance(text, str) and isinstance(entry['salt'], str), f'entry {count} has no text')
                verify_body(leaf, entry['salt'], text.encode('utf-8', 'surrogatepass'))
                body = json.loads(text)
                body = body if isinstance(body, dict) else {}
            if kind in ('ask.raised', 'ask.settled') and body is None:
                partial = True
            if kind == 'ask.raised':
                asks[subject] = (body['actionDigest'], body.get('principal')) if body and 'actionDigest' in body else None
            if kind in ('ask.voted', 'ask.settled', 'ask.expired', 'ask.withdrawn'):
                check(subject in asks and asks[subject] != 'ended', f'entry {count}: the ask {subject} is not open')
            if kind in ('ask.settled', 'ask.expired', 'ask.withdrawn'):
                action, asks[subject] = asks[subject], 'ended'
                if kind == 'ask.settled' and action and body and body['answer']['action'] == 'accept':
                    approvals[action] = approvals.get(action, 0) + 1
            if kind == 'grant.used' and body is not None:
                action = (body.get('digest'), body.get('principal'))
                check(approvals.get(action, 0) > 0 or partial, f'entry {count}: a grant was used without an approval of its action')
                approvals[action] = approvals.get(action, 0) - 1
    check(count == size, f'entry {count + 1} is missing in the lines')
    return f'{size} entries, {size - erased} texts'


def verify_proof(data, keys, leaf):
    check(len(data) <= NOTE_LIMIT + 2 * EXTRA_LIMIT + 8192, 'the proof is too long')
    top, found, checkpoint = text_of(data).partition('\n\n')
    lines = top.split('\n')
    check(found and lines.pop(0) == 'c2sp.org/tlog-proof@v1', 'not a proof')
    if lines and lines[0].startswith('extra '):
        check(len(decode(lines.pop(0)[6:])) <= EXTRA_LIMIT, 'too much extra data')
    check(lines and lines[0].startswith('index ') and len(lines) <= 1 + PROOF_LIMIT, 'not a proof')
    index, proof = number(lines[0][6:]), [hash_of(line) for line in lines[1:]]
    head = open_checkpoint(checkpoint.encode(), keys)
    included = is_included(sha256(b'\0' + leaf), index, head['size'], head['root'], proof)
    check(included, 'the proof does not show that the entry is in the log')
    return f"entry {index} of {head['size']}"


def verify_body(leaf, salt, body):
    check(re.fullmatch(f'[0-9a-f]{{{2 * SALT}}}', salt), 'malformed salt')
    text_of(body)
    digest = 'sha256:' + sha256(b'assent audit body v1\n' + bytes.fromhex(salt) + body).hex()
    check(digest == read_leaf(leaf)['body'], 'another body')
    return 'the body belongs to the entry'


def arguments(given):
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest='command', required=True)
    for name, options in {'export': ['folder', '--keys', '--older'], 'entries': ['folder', '--keys', '--entries'], 'proof': ['file', '--keys', '--leaf'],
                          'body': ['--leaf', '--salt', '--body'], 'batch': []}.items():
        command = commands.add_parser(name)
        for option in options:
            command.add_argument(option, **({} if option in ('folder', 'file', '--older') else {'required': True}))
    return parser.parse_args(given)


def read(path):
    return read_regular(path, GIVEN_LIMIT)


def verified(given):
    if given.command == 'body':
        return verify_body(read(given.leaf), given.salt, read(given.body))
    keys = read_keys(read(given.keys))
    if given.command == 'export':
        return verify_export(given.folder, keys, None if given.older is None else read(given.older))
    if given.command == 'entries':
        return verify_entries(given.folder, keys, given.entries)
    return verify_proof(read(given.file), keys, read(given.leaf))


def run(given):
    try:
        print(f'verified: {verified(given)}')
        return 0
    except (Invalid, ValueError, KeyError, TypeError) as problem:
        print(f'not verified: {problem}')
        return 1
    except OSError as problem:
        print(f'cannot read: {problem}')
        return 2


if __name__ == '__main__':
    first = arguments(sys.argv[1:])
    batch = [arguments(json.loads(line)) for line in sys.stdin] if first.command == 'batch' else [first]
    sys.exit(max([run(given) for given in batch], default=0))
