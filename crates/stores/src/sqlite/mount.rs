//! Mounts: refuses network file systems, whose locks and shared memory SQLite's log cannot rely on.
//!
//! Two machines with a file of a network each believe that they alone write: acknowledged turns are
//! lost, and the file may be damaged. SQLite cannot tell, but the kernel does.

use std::{fs, path::Path};

/// File systems of a network, by the kernel's names.
const OF_A_NETWORK: [&str; 16] = [
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "davfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "smb3",
    "smbfs",
    "sshfs",
];

/// Returns the name of the network file system that a folder is on, if it is on one. Only Linux
/// tells.
pub(super) fn network_of(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    network_in(&mounts, &folder)
}

/// The same, by the text of `mountinfo`: a mount a line, whose fifth field is its place, and which
/// has the name of its file system behind a field `-`. Later mounts cover earlier ones.
fn network_in(mounts: &str, folder: &Path) -> Option<String> {
    let on_the_way = mounts.lines().filter_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let place = unescaped(mount.split(' ').nth(4)?);
        let is_above = folder.starts_with(&place);
        is_above.then_some((place.len(), system.split(' ').next()?))
    });
    let (_, system) = on_the_way.max_by_key(|(length, _)| *length)?;
    // Those of a program are named `fuse.sshfs`.
    let name = system.strip_prefix("fuse.").unwrap_or(system);
    OF_A_NETWORK.contains(&name).then(|| system.to_owned())
}

/// A path of `mountinfo`, where blanks, tabs, line breaks and backslashes are octal.
fn unescaped(path: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(path.to_owned(), |path, (octal, plain)| path.replace(octal, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /mnt/team rw - nfs4 files:/team rw,vers=4.2
31 30 8:2 / /mnt/team/local rw - xfs /dev/sdb1 rw
32 22 0:27 / /mnt/a\\040b rw shared:9 master:2 - cifs //files/b rw
33 22 0:28 / /mnt/ssh rw - fuse.sshfs me@host:/ rw
34 22 0:29 / /mnt/drive rw - fuse.rclone drive: rw
35 22 0:30 / /srv rw - nfs files:/srv rw
36 22 8:3 / /srv rw - ext4 /dev/sdc1 rw";

    #[test]
    fn a_network_file_system_is_told_by_the_mount_that_a_folder_is_on() {
        for (folder, expected) in [
            ("/var/lib/bot", None),
            ("/mnt/team", Some("nfs4")),
            ("/mnt/team/bot", Some("nfs4")),
            ("/mnt/teamwork", None),
            ("/mnt/team/local/bot", None),
            ("/mnt/a b/bot", Some("cifs")),
            ("/mnt/ssh", Some("fuse.sshfs")),
            ("/mnt/drive", None),
            ("/srv/bot", None),
        ] {
            let found = network_in(MOUNTS, Path::new(folder));
            assert_eq!(found.as_deref(), expected, "{folder}");
        }
        assert_eq!(network_in("", Path::new("/")), None);
        assert_eq!(network_in("1 2 3\n - \nnonsense", Path::new("/")), None);
    }
}
