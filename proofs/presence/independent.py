# Verifies signatures of passkeys with nothing of Assent: Python's standard library and openssl.
#
# Reads one JSON object per line: the stored signature, and what was decided. Prints the number of valid ones, then the
# problem of each other one.
import base64, hashlib, json, subprocess, sys, tempfile, os

def decode(text):
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))

# Of a value without numbers that JSON writes in several ways, and with names in ASCII: both hold for an approval rule.
def digest(domain, value):
    canonical = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(',', ':'))
    return 'sha256:' + hashlib.sha256(f'assent {domain}\n{canonical}'.encode()).hexdigest()

def problem_of(line, folder):
    p, d = line['presence'], line['decision']
    answer = d['answer']
    statement = ['assent presence v1', d['tenant'], d['ask'], d['questionDigest'], p['actionDigest'], answer['action'],
                 answer.get('contentDigest', ''), answer.get('commentDigest', ''), d['by'], digest('approval rule v1', d['approvalRule']), p['nonce']]
    text = json.dumps(statement, ensure_ascii=False, separators=(',', ':'))
    challenge = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')
    client, authenticator = decode(p['clientData']), decode(p['authenticatorData'])
    data = json.loads(client)
    if data['type'] != 'webauthn.get' or data['challenge'] != challenge or data['origin'] != p['origin']:
        return 'the client data is for something else'
    if authenticator[:32] != hashlib.sha256(p['rpId'].encode()).digest() or authenticator[32] & 5 != 5:
        return 'the authenticator data is for another host, or no person was verified'
    paths = {name: os.path.join(folder, name) for name in ('key', 'data', 'signature')}
    values = {'key': decode(p['publicKey']), 'data': authenticator + hashlib.sha256(client).digest(), 'signature': decode(p['signature'])}
    for name, value in values.items():
        with open(paths[name], 'wb') as file:
            file.write(value)
    if p['algorithm'] == 'EdDSA':
        command = ['openssl', 'pkeyutl', '-verify', '-rawin', '-pubin', '-keyform', 'DER', '-inkey', paths['key'], '-in', paths['data'], '-sigfile', paths['signature']]
    else:
        command = ['openssl', 'dgst', '-sha256', '-keyform', 'DER', '-verify', paths['key'], '-signature', paths['signature'], paths['data']]
    return None if subprocess.run(command, capture_output=True).returncode == 0 else 'openssl refuses the signature'

valid, problems = 0, []
with tempfile.TemporaryDirectory() as folder:
    for text in sys.stdin:
        found = problem_of(json.loads(text), folder)
        if found is None:
            valid += 1
        else:
            problems.append(found)
print(valid)
for one in problems:
    print(one)
